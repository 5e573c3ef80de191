#include <png.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/error.h"
#include "plugin/cli/pages/map_drawing.h"
#include "plugin/cli/pages/map_names.h"
#include "plugin/cli/pages/stroke_font.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kFiner = 3;  // samples of a pixel along each axis
constexpr Color kPaper = {255, 255, 255}, kBorder = {34, 34, 34}, kInk = {17, 17, 17};
constexpr double kBorderWidth = 0.07;  // lattice units
constexpr double kHaloWidth = 0.115;   // font sizes on each side of the pen

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

  /// A line with round ends, between points of the lattice.
  void line(Point a, Point b, double width, const Color& color) {
    const double reach = width / 2;
    const auto clipped = [&](double at, std::size_t end) {
      return static_cast<std::size_t>(
          std::clamp((at + kMapMargin) * scale_, 0.0, static_cast<double>(end)));
    };
    const std::size_t left = clipped(std::min(a.x, b.x) - reach, width_);
    const std::size_t right = clipped(std::max(a.x, b.x) + reach + 1 / scale_, width_);
    const std::size_t top = clipped(std::min(a.y, b.y) - reach, height_);
    const std::size_t bottom = clipped(std::max(a.y, b.y) + reach + 1 / scale_, height_);
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
  const MapNames names = place_names(map, pixels, Letters::kStrokes);
  const MapKey key = make_key(map, names, pixels, Letters::kStrokes);
  const Point extent = extent_of(map);
  Canvas canvas(extent.x, extent.y + key.height, pixels * kFiner);
  canvas.fill([&](Point at) {
    const std::int64_t unit = unit_at(map, at);
    return unit < 0 ? kPaper : colored.color[static_cast<std::size_t>(unit)];
  });
  for (const auto& [a, b] : topic_borders(map))
    canvas.line(a, b, std::max(kBorderWidth, 1.2 / pixels), kBorder);
  draw_lines(canvas, names.lines, true);
  draw_lines(canvas, key.lines, false);
  return encode(canvas);
}

}  // namespace kindred::cli
