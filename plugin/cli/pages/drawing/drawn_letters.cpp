#include "plugin/cli/pages/drawing/drawn_letters.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugin/cli/pages/drawing/font_letters.h"
#include "plugin/cli/pages/drawing/scripts.h"
#include "plugin/cli/pages/drawing/stroke_font.h"

namespace kindred::cli {
namespace {

class StrokeLetters : public DrawnLetters {
 public:
  std::optional<double> width(const std::string& text) const override {
    const std::optional<StrokedText> stroked = stroke_text(text);
    return stroked ? std::optional(stroked->width) : std::nullopt;
  }

  void draw(Canvas& canvas, const PlacedLine& line, double grown,
            const Color& color) const override {
    const std::optional<StrokedText> text = stroke_text(line.text);
    if (!text) return;
    const double left = line.middle.x - text->width * line.size / 2;
    const double baseline = line.middle.y + kBaseline * line.size;
    const auto place = [&](const Point& at) {
      return Point{left + at.x * line.size, baseline + at.y * line.size};
    };
    const double pen = (kPenWidth + 2 * grown) * line.size;
    for (const std::vector<Point>& stroke : text->strokes)
      for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
        canvas.line(place(stroke[i]), place(stroke[i + 1]), pen, color);
  }
};

/// Fonts, and strokes for texts that these cannot write.
class FontsElseStrokes : public DrawnLetters {
 public:
  explicit FontsElseStrokes(std::unique_ptr<DrawnLetters> fonts) : fonts_(std::move(fonts)) {}

  std::optional<double> width(const std::string& text) const override {
    const std::optional<double> its = fonts_->width(text);
    return its ? its : strokes_.width(text);
  }
  void draw(Canvas& canvas, const PlacedLine& line, double grown,
            const Color& color) const override {
    if (fonts_->width(line.text)) {
      fonts_->draw(canvas, line, grown, color);
    } else {
      strokes_.draw(canvas, line, grown, color);
    }
  }

 private:
  std::unique_ptr<DrawnLetters> fonts_;
  StrokeLetters strokes_;
};

}  // namespace

std::unique_ptr<DrawnLetters> letters_for(const std::vector<std::string>& texts) {
  const bool is_ascii = std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char byte) { return byte < 128; });
  });
  std::unique_ptr<DrawnLetters> fonts;
  if (!is_ascii) fonts = font_letters(scripts_of(texts).ideographs);
  if (!fonts) return std::make_unique<StrokeLetters>();
  return std::make_unique<FontsElseStrokes>(std::move(fonts));
}

std::string missing_letters(const std::vector<std::string>& texts) {
  if (!can_use_fonts())
    return "this program was built without Pango (libpango1.0-dev), and draws Latin letters only";
  const Scripts scripts = scripts_of(texts);
  std::string names;
  for (const std::string& name : scripts.names) names += (names.empty() ? "" : ", ") + name;
  std::string packages = scripts.has_east_asian ? "fonts-noto-cjk" : "";
  if (scripts.has_others || packages.empty())
    packages += (packages.empty() ? "" : " and ") + std::string("fonts-noto-core");
  const char* whose = texts.size() == 1 ? "its" : "their";
  return std::string("no font of this machine has ") + whose + " letters (" + names +
         "); install " + packages;
}

}  // namespace kindred::cli
