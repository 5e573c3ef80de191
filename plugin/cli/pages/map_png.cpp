#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/error.h"
#include "plugin/cli/pages/map_drawing.h"
#include "plugin/cli/pages/map_legend.h"
#include "plugin/cli/pages/map_names.h"
#include "plugin/cli/pages/stroke_font.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kFiner = 3;  // samples of a pixel along each axis
constexpr Color kPaper = {255, 255, 255}, kBorder = {34, 34, 34}, kInk = {17, 17, 17};
constexpr double kBorderWidth = 1.6;  // pixels
constexpr double kHaloWidth = 0.115;  // font sizes on each side of the pen

constexpr Color kOutline = {136, 136, 136};  // of boxes
constexpr double kOutlineWidth = 0.8;        // pixels

class StrokeLetters : public Letters {
 public:
  std::optional<double> width(const std::string& text) const override {
    const std::optional<StrokedText> stroked = stroke_text(text);
    return stroked ? std::optional(stroked->width) : std::nullopt;
  }
};

/// Samples of a drawing, kFiner times as fine as its pixels.
class Canvas {
 public:
  /// `width`, `height`: in lattice units; `scale`: samples of a lattice unit.
  Canvas(double width, double height, double scale)
      : scale_(scale),
        width_(kFiner * static_cast<std::size_t>(std::lround(width * scale / kFiner))),
        height_(kFiner * static_cast<std::size_t>(std::lround(height * scale / kFiner))),
        samples_(width_ * height_, kPaper) {}

  /// Colors each sample by color(point).
  template <typename ColorAt>
  void fill(ColorAt&& color) {
    for (std::size_t y = 0; y < height_; ++y)
      for (std::size_t x = 0; x < width_; ++x) samples_[y * width_ + x] = color(point(x, y));
  }

  /// The same for the samples of a box, given by its upper left and lower right corners.
  template <typename ColorAt>
  void box(Point a, Point c, ColorAt&& color) {
    const std::size_t left = sample(a.x, width_), right = sample(c.x, width_);
    const std::size_t top = sample(a.y, height_), bottom = sample(c.y, height_);
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x) samples_[y * width_ + x] = color(point(x, y));
  }

  /// A line with round ends, between points of the lattice.
  void line(Point a, Point b, double width, const Color& color) {
    const double reach = width / 2;
    const std::size_t left = sample(std::min(a.x, b.x) - reach, width_);
    const std::size_t right = sample(std::max(a.x, b.x) + reach + 1 / scale_, width_);
    const std::size_t top = sample(std::min(a.y, b.y) - reach, height_);
    const std::size_t bottom = sample(std::max(a.y, b.y) + reach + 1 / scale_, height_);
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x)
        if (distance(point(x, y), a, b) <= reach) samples_[y * width_ + x] = color;
  }

  std::size_t width() const { return width_ / kFiner; }
  std::size_t height() const { return height_ / kFiner; }

  /// The pixels: the means of their samples, three bytes each.
  std::vector<std::uint8_t> pixels() const {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(width() * height() * 3);
    for (std::size_t y = 0; y < height_; y += kFiner) {
      for (std::size_t x = 0; x < width_; x += kFiner) {
        std::size_t red = 0, green = 0, blue = 0;
        for (std::size_t i = 0; i < kFiner * kFiner; ++i) {
          const Color& sample = samples_[(y + i / kFiner) * width_ + x + i % kFiner];
          red += sample.red;
          green += sample.green;
          blue += sample.blue;
        }
        for (const std::size_t sum : {red, green, blue})
          bytes.push_back(static_cast<std::uint8_t>(sum / (kFiner * kFiner)));
      }
    }
    return bytes;
  }

 private:
  Point point(std::size_t x, std::size_t y) const {
    return {(static_cast<double>(x) + 0.5) / scale_ - kMapMargin,
            (static_cast<double>(y) + 0.5) / scale_ - kMapMargin};
  }

  /// The sample at a coordinate, `end` if it lies beyond that.
  std::size_t sample(double at, std::size_t end) const {
    return static_cast<std::size_t>(
        std::clamp((at + kMapMargin) * scale_, 0.0, static_cast<double>(end)));
  }

  /// Of a point from the line between a and b.
  static double distance(Point at, Point a, Point b) {
    const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    const double along = squared > 0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / squared : 0;
    const double part = std::clamp(along, 0.0, 1.0);
    return std::hypot(at.x - a.x - part * dx, at.y - a.y - part * dy);
  }

  double scale_;
  std::size_t width_, height_;
  std::vector<Color> samples_;
};

void draw_strokes(Canvas& canvas, const PlacedLine& line, const StrokedText& text, double pen,
                  const Color& color) {
  const double left = line.middle.x - text.width * line.size / 2;
  const double baseline = line.middle.y + kBaseline * line.size;
  const auto place = [&](const Point& at) {
    return Point{left + at.x * line.size, baseline + at.y * line.size};
  };
  for (const std::vector<Point>& stroke : text.strokes)
    for (std::size_t i = 0; i + 1 < stroke.size(); ++i)
      canvas.line(place(stroke[i]), place(stroke[i + 1]), pen * line.size, color);
}

void draw_lines(Canvas& canvas, const std::vector<PlacedLine>& lines, bool with_halo) {
  for (const PlacedLine& line : lines) {
    const std::optional<StrokedText> text = stroke_text(line.text);
    if (!text) continue;
    if (with_halo) draw_strokes(canvas, line, *text, kPenWidth + 2 * kHaloWidth, kPaper);
    draw_strokes(canvas, line, *text, kPenWidth, kInk);
  }
}

void draw_box(Canvas& canvas, const ColorBox& box, double outline) {
  const Point a = box.corner, c = {a.x + box.size.x, a.y + box.size.y};
  canvas.box(a, c, [&](Point at) { return color_at(box.stops, (at.x - a.x) / box.size.x); });
  for (const auto& [from, to] : {std::pair{a, Point{c.x, a.y}},
                                 {Point{c.x, a.y}, c},
                                 {c, Point{a.x, c.y}},
                                 {Point{a.x, c.y}, a}})
    canvas.line(from, to, outline, kOutline);
}

std::string encode(const Canvas& canvas) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(canvas.width());
  image.height = static_cast<png_uint_32>(canvas.height());
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  const std::vector<std::uint8_t> pixels = canvas.pixels();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw Error(Errc::kInternal, std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string draw_png(const TopicMap& map, const ColoredMap& colored) {
  const double pixels = drawing_scale(map);
  const StrokeLetters letters;
  const MapNames names = place_names(map, pixels, letters);
  const MapLegend legend = make_legend(map, colored, names, pixels, letters);
  Canvas canvas(legend.extent.x, legend.extent.y, pixels * kFiner);
  canvas.fill([&](Point at) {
    const std::int64_t unit = unit_at(map, at);
    return unit < 0 ? kPaper : colored.color[static_cast<std::size_t>(unit)];
  });
  const double border = kBorderWidth / pixels;
  for (const auto& [a, b] : topic_borders(map)) canvas.line(a, b, border, kBorder);
  draw_lines(canvas, names.lines, true);
  for (const ColorBox& box : legend.boxes) draw_box(canvas, box, kOutlineWidth / pixels);
  for (const auto& [a, b] : legend.strokes) canvas.line(a, b, border, kBorder);
  draw_lines(canvas, legend.lines, false);
  return encode(canvas);
}

}  // namespace kindred::cli
