#include "plugin/documents/languages.h"

#include "plugin/store/terms.h"

namespace kindred {

std::vector<LanguageCount> languages_of(const Xapian::Database& database) {
  std::vector<LanguageCount> languages;
  for (TermReader terms(database, "L"); !terms.at_end(); terms.next()) {
    if (const auto language = value_under("L", terms.term()))
      languages.push_back({std::string(*language), terms.termfreq()});
  }
  return languages;
}

}  // namespace kindred
