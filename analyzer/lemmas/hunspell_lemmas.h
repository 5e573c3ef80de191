#pragma once

#include <memory>
#include <string>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/lemmas/lemma_source.h"
#include "analyzer/text/language.h"

namespace kindred {

/// Opens a Hunspell dictionary as a source of lemmas. Any number of threads may use the result.
/// What the dictionary said of the last 100,000 words or so is remembered; of a new word it is
/// asked by one thread at a time.
///
/// A lemma is what the dictionary names as such (the field st:), or else the entry from which its
/// affix rules make the word. What Hunspell names for compounds is left out, for that is a part of
/// them. Words are asked for with a capital first, too: "haus" is found as "Haus". Words with
/// digits, and those of more than 100 bytes, are unknown. Dictionaries of any encoding that ICU
/// knows are read.
/// @throws Error kNotFound if a file cannot be read, kUnsupported in a build without Hunspell, and
/// for an encoding that ICU does not know.
std::shared_ptr<const LemmaSource> open_hunspell(const DictionaryFiles& files,
                                                 const Language& language);

/// The version of Hunspell in this build, such as "1.7.1"; "" without Hunspell.
KINDRED_API std::string hunspell_version();

}  // namespace kindred
