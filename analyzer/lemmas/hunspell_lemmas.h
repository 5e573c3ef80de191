#pragma once

#include <memory>
#include <string>

#include "analyzer/languages/language.h"
#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/lemmas/lemma_source.h"

namespace kindred {

/// Opens a Hunspell dictionary as a source of lemmas. Any number of threads may use the result:
/// Hunspell serves one at a time, and what it said of the last 100,000 words or so is remembered,
/// so threads seldom wait.
///
/// A lemma is what the dictionary names as such (the field st:), or else the entry from which its
/// affix rules make the word. Words are asked for with a capital first, which Hunspell takes for
/// both spellings: "haus" is found as "Haus". Words with digits, and those of more than 100 bytes,
/// are unknown. Dictionaries of any encoding that ICU knows are read.
/// @throws Error kNotFound if a file cannot be read, kUnsupported in a build without Hunspell, and
/// for an encoding that ICU does not know.
std::shared_ptr<const LemmaSource> open_hunspell(const DictionaryFiles& files,
                                                 const Language& language);

/// The version of Hunspell in this build, such as "1.7.1"; "" without Hunspell.
KINDRED_API std::string hunspell_version();

}  // namespace kindred
