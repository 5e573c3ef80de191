#pragma once

#include <string>
#include <string_view>

#include "analyzer/languages/language.h"
#include "analyzer/lemmas/dictionary_files.h"
#include "config/settings.h"

namespace kindred {

/// An item of analyzer.lemmas or analyzer.compounds: a language, and where its words come from.
struct DictionaryItem {
  std::string language;  ///< as find_language() takes it
  bool is_hunspell;      ///< else `where` is the path of a list
  std::string where;     ///< the name of the dictionary, "" for the usual one; or the path
};

/// "es=hunspell", "pt=hunspell:pt_PT" or "en=/path/to/list".
DictionaryItem parse_dictionary_item(std::string_view item);

/// True if an item is for `language`. One for "no" is also for the written forms of Norwegian.
bool is_for(const DictionaryItem& item, const Language& language);

/// The dictionary that an item of the setting `key` names.
/// @throws Error kNotFound as find_dictionary().
DictionaryFiles dictionary_of(const DictionaryItem& item, const AnalyzerSettings& settings,
                              const std::string& key);

}  // namespace kindred
