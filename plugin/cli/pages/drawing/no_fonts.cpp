// Stands in for font_letters.cpp in a build without Pango.
#include "plugin/cli/pages/drawing/font_letters.h"

namespace kindred::cli {

bool can_use_fonts() { return false; }

std::unique_ptr<DrawnLetters> font_letters(const std::string&) { return nullptr; }

}  // namespace kindred::cli
