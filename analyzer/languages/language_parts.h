#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/languages/detect.h"

namespace kindred {

/// A part of a text that is in one language.
struct LanguagePart {
  std::string_view text;
  std::string language;
};

/// Cuts a text of the language `main` into parts by language. Together they are the text.
///
/// The text is looked at in blocks: a block ends at a blank line, or at the end of a line once it
/// has 400 bytes. A block of at least 80 bytes that the detector finds, with `confidence`, to be in
/// another language is in that one; all other blocks are in `main`. Blocks of one language that
/// follow each other make one part.
std::vector<LanguagePart> language_parts(std::string_view text, const std::string& main,
                                         const LanguageDetector& detector, double confidence);

}  // namespace kindred
