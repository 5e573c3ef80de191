#include "analyzer/lemmas/dictionary_item.h"

#include <algorithm>

namespace kindred {

DictionaryItem parse_dictionary_item(std::string_view item) {
  constexpr std::string_view kHunspell = "hunspell";
  const std::size_t equals = std::min(item.find('='), item.size());
  const std::string language(item.substr(0, equals));
  const std::string_view where = item.substr(std::min(equals + 1, item.size()));
  if (where == kHunspell) return {language, true, ""};
  if (where.starts_with(kHunspell) && where[kHunspell.size()] == ':')
    return {language, true, std::string(where.substr(kHunspell.size() + 1))};
  return {language, false, std::string(where)};
}

bool is_for(const DictionaryItem& item, const Language& language) {
  const std::string code = find_language(item.language).code;
  return code == language.code || code == language.list;
}

DictionaryFiles dictionary_of(const DictionaryItem& item, const AnalyzerSettings& settings,
                              const std::string& key) {
  return find_dictionary(find_language(item.language).code, item.where, settings.dictionaries, key);
}

}  // namespace kindred
