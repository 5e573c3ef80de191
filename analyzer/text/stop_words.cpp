#include "analyzer/text/stop_words.h"

#include <algorithm>

namespace kindred {

WordSet stop_words(const std::string& setting, const Language& language,
                   const Normalizer& normalizer) {
  if (setting == "none" || setting.empty()) return {};
  if (setting != "builtin")
    return parse_words(read_word_list(setting, "stop words"), setting, normalizer);
  const auto lists = builtin_stop_words();
  const auto found = std::find_if(lists.begin(), lists.end(), [&](const BuiltinStopWords& b) {
    return b.language == language.list;
  });
  if (found == lists.end()) return {};
  return parse_words(found->list, std::string(found->language) + ".txt", normalizer);
}

}  // namespace kindred
