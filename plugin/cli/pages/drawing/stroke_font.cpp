#include "plugin/cli/pages/drawing/stroke_font.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "plugin/cli/output/text_width.h"

namespace kindred::cli {
namespace {

constexpr double kStep = 0.052;   // font sizes of a step of the glyphs below
constexpr double kBearing = 1.9;  // steps to each side of a glyph
constexpr double kSpace = 4.5;    // steps of a space

// Each glyph: its width, then strokes. L is a polyline of points x y; A is an arc of an ellipse:
// center x y, radii, start and end in degrees, counterclockwise from the right. Small letters are
// 10 steps high above the baseline, large ones 14.
constexpr const char* kGlyphs[][2] = {
    {"a", "9 A 4.5 5 4.5 5 0 360 L 9 10 9 0"},
    {"b", "9 L 0 14 0 0 A 4.5 5 4.5 5 0 360"},
    {"c", "8 A 4.5 5 4.5 5 48 312"},
    {"d", "9 A 4.5 5 4.5 5 0 360 L 9 14 9 0"},
    {"e", "9 A 4.5 5 4.5 5 0 312 L 0 5 9 5"},
    {"f", "5.5 A 5 11 3 3 75 180 L 2 11 2 0 L 0 9.6 5.2 9.6"},
    {"g", "9 A 4.5 5 4.5 5 0 360 L 9 10 9 0 A 4.5 0 4.5 4 205 360"},
    {"h", "8 L 0 14 0 0 A 4 6 4 4 0 180 L 8 6 8 0"},
    {"i", "0 L 0 10 0 0 L 0 13.5 0 13.6"},
    {"j", "2.2 L 2.2 10 2.2 -1.7 A 0 -1.7 2.2 2.3 265 360 L 2.2 13.5 2.2 13.6"},
    {"k", "7.5 L 0 14 0 0 L 7 10 0 3.6 L 2.7 6 7.5 0"},
    {"l", "0 L 0 14 0 0"},
    {"m",
     "12.8 L 0 10 0 0 A 3.2 6.6 3.2 3.4 0 180 L 6.4 6.6 6.4 0 A 9.6 6.6 3.2 3.4 0 180 "
     "L 12.8 6.6 12.8 0"},
    {"n", "8 L 0 10 0 0 A 4 6 4 4 0 180 L 8 6 8 0"},
    {"o", "9 A 4.5 5 4.5 5 0 360"},
    {"p", "9 L 0 10 0 -4 A 4.5 5 4.5 5 0 360"},
    {"q", "9 A 4.5 5 4.5 5 0 360 L 9 10 9 -4"},
    {"r", "4.8 L 0 10 0 0 A 4 6 4 4 78 180"},
    {"s", "7.8 A 3.9 7.4 3.5 2.6 35 270 A 3.9 2.4 3.8 2.4 -145 90"},
    {"t", "5.6 L 2.2 13 2.2 2.6 A 4.8 2.6 2.6 2.6 180 285 L 0 9.7 5.2 9.7"},
    {"u", "8 L 0 10 0 4 A 4 4 4 4 180 360 L 8 10 8 0"},
    {"v", "8.2 L 0 10 4.1 0 8.2 10"},
    {"w", "12.4 L 0 10 3.1 0 6.2 9.4 9.3 0 12.4 10"},
    {"x", "7.8 L 0 10 7.8 0 L 7.8 10 0 0"},
    {"y", "8.2 L 0 10 4.3 0 L 8.2 10 3.2 -2.8 2.2 -3.8 .8 -4"},
    {"z", "7.4 L 0 10 7.4 10 0 0 7.4 0"},
    {"0", "8.4 A 4.2 7 4.2 7 0 360"},
    {"1", "5.5 L 1 11.3 4.4 14 4.4 0"},
    {"2", "8.2 A 4 10 4 4 -35 165 L 7.28 7.7 0 0 8.2 0"},
    {"3", "8.2 A 3.8 10.5 3.6 3.5 -90 150 A 3.9 3.55 4.2 3.5 -148 90"},
    {"4", "8.8 L 6.6 0 6.6 14 0 4.4 8.8 4.4"},
    {"5", "8.2 L 7.4 14 1.4 14 .8 7.7 A 3.8 4.6 4.4 4.6 -145 133"},
    {"6", "8.4 A 4.2 4.4 4.2 4.4 0 360 L .5 6.4 5.6 14"},
    {"7", "8 L 0 14 8 14 2.6 0"},
    {"8", "8.4 A 4.2 10.6 3.5 3.4 0 360 A 4.2 3.6 4.2 3.6 0 360"},
    {"9", "8.4 A 4.2 9.6 4.2 4.4 0 360 L 7.9 7.6 2.8 0"},
    {".", "0 L 0 .2 0 .3"},
    {",", ".6 L .5 .3 -.2 -2.4"},
    {"-", "4.6 L 0 5 4.6 5"},
    {"_", "8 L 0 -1.6 8 -1.6"},
    {"+", "8 L 4 9.2 4 1.2 L 0 5.2 8 5.2"},
    {"'", "0 L 0 14 0 10.6"},
    {":", "0 L 0 8.6 0 8.7 L 0 .9 0 1"},
    {"/", "5.6 L 0 -1.5 5.6 14.5"},
    {"#", "9 L 3 13 1.4 0 L 7.6 13 6 0 L 0 9 9 9 L 0 4 9 4"},
    {"(", "2.6 A 6.4 5.2 6.4 9.4 122 238"},
    {")", "2.6 A -3.8 5.2 6.4 9.4 -58 58"},
    {";", ".6 L .6 8.6 .6 8.7 L .5 .3 -.2 -2.4"},
    {"\"", "3.4 L 0 14 0 10.6 L 3.4 14 3.4 10.6"},
    {"%", "12 A 2.6 11.2 2.4 2.8 0 360 A 9.4 2.8 2.4 2.8 0 360 L 10.4 14 1.6 0"},
    {"&", "10 A 4.2 11 2.9 3 -60 225 A 4 3.7 4 3.7 75 360 L 2.1 8.9 9.6 0"},
    {"@", "13 A 6.4 5.4 2.6 3 0 360 L 9 8.4 9 4 A 11 4 2 1.8 180 350 A 6.5 5 6.5 7 0 300"},
    {"!", "0 L 0 14 0 4.4 L 0 .2 0 .3"},
    {"?", "7 A 3.5 10.6 3.5 3.4 -40 170 L 6.2 8.4 3.5 6 3.5 4.4 L 3.5 .2 3.5 .3"},
    {"=", "8 L 0 7 8 7 L 0 3.4 8 3.4"},
    {"*", "6.4 L 3.2 14 3.2 8 L .6 12.5 5.8 9.5 L .6 9.5 5.8 12.5"},
    {"…", "9.6 L .4 .2 .4 .3 L 4.8 .2 4.8 .3 L 9.2 .2 9.2 .3"},
};

struct Glyph {
  double width = 0;  // in steps
  std::vector<std::vector<Point>> strokes;
};

std::vector<Point> arc(double x, double y, double across, double up, double from, double to) {
  const int pieces = std::max(4, static_cast<int>((to - from) / 12));
  std::vector<Point> points;
  for (int i = 0; i <= pieces; ++i) {
    const double angle = (from + (to - from) * i / pieces) * std::numbers::pi / 180;
    points.push_back({x + across * std::cos(angle), y + up * std::sin(angle)});
  }
  return points;
}

Glyph read_glyph(const char* text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  Glyph glyph;
  in >> glyph.width;
  for (char kind = 0; in >> kind;) {
    std::vector<double> numbers;
    for (double number = 0; in >> number;) numbers.push_back(number);
    in.clear();
    if (kind == 'A') {
      glyph.strokes.push_back(
          arc(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]));
      continue;
    }
    std::vector<Point>& line = glyph.strokes.emplace_back();
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
      line.push_back({numbers[i], numbers[i + 1]});
  }
  return glyph;
}

const Glyph* glyph_of(UChar32 letter) {
  static const std::map<UChar32, Glyph> glyphs = [] {
    std::map<UChar32, Glyph> read;
    for (const auto& [name, text] : kGlyphs)
      read.emplace(icu::UnicodeString::fromUTF8(name).char32At(0), read_glyph(text));
    return read;
  }();
  const auto found = glyphs.find(letter);
  return found == glyphs.end() ? nullptr : &found->second;
}

/// Letters in lower case, each followed by its marks.
icu::UnicodeString decomposed(std::string_view text) {
  icu::UnicodeString letters =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  letters.foldCase();
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = icu::Normalizer2::getNFDInstance(status);
  if (U_FAILURE(status)) return letters;
  icu::UnicodeString parted = form->normalize(letters, status);
  return U_FAILURE(status) ? letters : parted;
}

/// In font sizes: of a glyph, else what common faces have, where wide characters are squares.
double width_of(UChar32 letter) {
  if (u_charType(letter) == U_NON_SPACING_MARK) return 0;
  if (letter == ' ') return kSpace * kStep;
  if (const Glyph* glyph = glyph_of(letter)) return (glyph->width + 2 * kBearing) * kStep;
  std::string bytes;
  const std::size_t columns = display_width(icu::UnicodeString(letter).toUTF8String(bytes));
  return columns == 2 ? 1 : 0.6 * static_cast<double>(columns);
}

}  // namespace

std::optional<StrokedText> stroke_text(std::string_view text) {
  const icu::UnicodeString letters = decomposed(text);
  StrokedText stroked;
  for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1)) {
    const UChar32 letter = letters.char32At(i);
    const bool is_blank = letter == ' ' || u_charType(letter) == U_NON_SPACING_MARK;
    const Glyph* glyph = is_blank ? nullptr : glyph_of(letter);
    if (glyph == nullptr && !is_blank) return std::nullopt;
    const double left = stroked.width + kBearing * kStep;
    stroked.width += width_of(letter);
    if (is_blank) continue;
    for (const std::vector<Point>& stroke : glyph->strokes) {
      std::vector<Point>& line = stroked.strokes.emplace_back();
      for (const Point& at : stroke) line.push_back({left + at.x * kStep, -at.y * kStep});
    }
  }
  return stroked;
}

double text_width(std::string_view text) {
  const icu::UnicodeString letters = decomposed(text);
  double width = 0;
  for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1))
    width += width_of(letters.char32At(i));
  return width;
}

}  // namespace kindred::cli
