#pragma once

#include <memory>
#include <string>

#include "plugin/cli/pages/drawing/drawn_letters.h"

namespace kindred::cli {

/// Whether the program was built with Pango.
bool can_use_fonts();

/// The sans-serif fonts of this machine, by Pango: each letter from a font that has it, joined and
/// ordered as its script demands. Ideographs have the shapes of `language` ("ja", "ko", "zh"; "" =
/// those of the locale). Nothing if there are no fonts, or without Pango.
std::unique_ptr<DrawnLetters> font_letters(const std::string& language);

}  // namespace kindred::cli
