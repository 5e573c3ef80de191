#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analyzer/lemmas/affix_file.h"
#include "analyzer/lemmas/dictionary_files.h"

namespace kindred {

/// A line of a .dic file, in the encoding of its affix file.
struct DictionaryEntry {
  std::string word;
  std::string_view flags;   ///< for AffixFile::parse_flags()
  std::string_view fields;  ///< such as " po:verb st:go"; "" if there are none
};

/// The content of a .dic or .aff file.
/// @throws Error as read_regular_file().
std::string read_dictionary_file(const std::string& path);

/// Calls each(entry) for the lines of a .dic file, in their order. `dictionary`: its content.
void for_each_entry(std::string_view dictionary,
                    const std::function<void(const DictionaryEntry&)>& each);

/// Calls each(word) for the words of a Hunspell dictionary as its .dic file has them, without
/// flags, in UTF-8 and in the order of the file. Forms that only the affix rules make are left out,
/// and so are entries that the dictionary marks as no words (FORBIDDENWORD, NEEDAFFIX). It needs no
/// Hunspell.
/// @throws Error as read_regular_file(); kUnsupported for an encoding that ICU does not know.
void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each);

}  // namespace kindred
