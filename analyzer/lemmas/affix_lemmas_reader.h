#pragma once

#include <memory>

#include "analyzer/lemmas/affix_lemmas.h"
#include "analyzer/lemmas/dictionary_files.h"

namespace kindred {

/// Reads a dictionary; null if it uses what AffixLemmas does not follow (AffixFile::not_followed,
/// fields of morphology that name other stems), so that Hunspell has to be asked. Rules that append
/// a hyphen are left out: nobody asks for such words.
/// @throws Error as read_dictionary_file(); kUnsupported for an encoding that ICU does not know.
std::unique_ptr<const AffixLemmas> read_affix_lemmas(const DictionaryFiles& files);

}  // namespace kindred
