#include "plugin/profile/title.h"

#include "plugin/input/document_data.h"

namespace kindred {

std::string document_title(const Xapian::Document& document, const IndexSettings& settings) {
  const std::string data = document.get_data();
  for (const std::string& field : settings.title_fields) {
    const std::string_view title = document_field(data, field);
    if (!title.empty()) return std::string(title);
  }
  if (settings.title_slot < 0) return "";
  return document.get_value(static_cast<Xapian::valueno>(settings.title_slot));
}

}  // namespace kindred
