#pragma once

#include <functional>
#include <string>

#include "analyzer/lemmas/dictionary_files.h"

namespace kindred {

/// Calls each(word) for the words of a Hunspell dictionary as its .dic file has them, without
/// flags, in UTF-8 and in the order of the file. Forms that only the affix rules make are left out,
/// and so are entries that the dictionary marks as no words (FORBIDDENWORD, NEEDAFFIX). It needs no
/// Hunspell.
/// @throws Error as read_regular_file(); kUnsupported for an encoding that ICU does not know.
void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each);

}  // namespace kindred
