#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/cli/pages/drawing/canvas.h"
#include "plugin/cli/pages/drawing/letters.h"

namespace kindred::cli {

/// Letters that can be drawn on a canvas.
class DrawnLetters : public Letters {
 public:
  /// Draws a line whose letters are all there. `grown`: font sizes by which its strokes grow to
  /// each side, for a halo.
  virtual void draw(Canvas& canvas, const PlacedLine& line, double grown,
                    const Color& color) const = 0;
};

/// Strokes, which every machine has, for texts that are ASCII. For others the fonts of this
/// machine, and strokes where these lack a letter.
std::unique_ptr<DrawnLetters> letters_for(const std::vector<std::string>& texts);

/// What to do about texts that cannot be drawn, as a sentence: "no font here has Devanagari; ...".
std::string missing_letters(const std::vector<std::string>& texts);

}  // namespace kindred::cli
