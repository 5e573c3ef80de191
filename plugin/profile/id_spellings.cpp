#include "plugin/profile/id_spellings.h"

namespace kindred {

std::vector<std::string_view> spellings_of_id(std::string_view id, const IndexSettings& settings) {
  if (id.empty()) return {};
  const std::string& scheme = settings.id_scheme;
  if (scheme.empty() || !id.starts_with(scheme) || id.size() == scheme.size()) return {id};
  return {id, id.substr(scheme.size())};
}

}  // namespace kindred
