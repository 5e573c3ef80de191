#include "plugin/cli/pages/drawing/letters.h"

#include "plugin/cli/pages/drawing/stroke_font.h"

namespace kindred::cli {

std::optional<double> ViewerLetters::width(const std::string& text) const {
  return text_width(text);
}

}  // namespace kindred::cli
