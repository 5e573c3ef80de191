#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "config/error.h"
#include "plugin/cli/pages/map_drawing.h"

namespace kindred::cli {
namespace {

constexpr double kWidth = 1000;  // pixels, about
constexpr Color kPaper = {255, 255, 255}, kBorder = {34, 34, 34};

/// Pixels of three bytes.
class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height)
      : width_(width), height_(height), bytes_(width * height * 3, 255) {}
  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  const std::uint8_t* data() const { return bytes_.data(); }
  void set(std::int64_t x, std::int64_t y, const Color& color) {
    if (x < 0 || y < 0 || x >= static_cast<std::int64_t>(width_) ||
        y >= static_cast<std::int64_t>(height_))
      return;
    std::uint8_t* pixel = bytes_.data() + (static_cast<std::size_t>(y) * width_ + x) * 3;
    pixel[0] = color.red;
    pixel[1] = color.green;
    pixel[2] = color.blue;
  }

 private:
  std::size_t width_, height_;
  std::vector<std::uint8_t> bytes_;
};

/// The unit that a point lies in, if there is one. Units are the Voronoi cells of their centers, so
/// it is the one with the nearest center.
std::int64_t unit_at(const TopicMap& map, Point at) {
  const double height = map.origin.hexagonal ? std::sqrt(3.0) / 2 : 1;
  const auto near = static_cast<std::int64_t>(std::lround(at.y / height));
  std::int64_t best = -1;
  double least = map.origin.hexagonal ? 1.0 / 3 + 1e-9 : 0.5 + 1e-9;  // the corners' distance^2
  for (std::int64_t row = near - 1; row <= near + 1; ++row) {
    const double shift = map.origin.hexagonal && row % 2 != 0 ? 0.5 : 0;
    const auto column = static_cast<std::int64_t>(std::lround(at.x - shift));
    if (row < 0 || row >= map.origin.rows || column < 0 || column >= map.origin.columns) continue;
    const std::int64_t unit = row * map.origin.columns + column;
    const double dx = at.x - map.units[unit].x, dy = at.y - map.units[unit].y;
    if (dx * dx + dy * dy >= least) continue;
    least = dx * dx + dy * dy;
    best = unit;
  }
  return best;
}

void draw_line(Canvas& canvas, Point a, Point b, double scale) {
  const int steps = static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) * scale * 2) + 1;
  const int thick = std::max(1, static_cast<int>(scale / 9));
  for (int i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / steps;
    const double x = (a.x + (b.x - a.x) * part + kMapMargin) * scale - thick / 2.0;
    const double y = (a.y + (b.y - a.y) * part + kMapMargin) * scale - thick / 2.0;
    for (int j = 0; j < thick * thick; ++j)
      canvas.set(std::lround(x) + j % thick, std::lround(y) + j / thick, kBorder);
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
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, canvas.data(), 0, nullptr) == 0)
    throw Error(Errc::kInternal, std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string draw_png(const TopicMap& map, const ColoredMap& colored) {
  const Point extent = extent_of(map);
  const double scale = std::max(4.0, std::floor(kWidth / std::max(extent.x, extent.y)));
  Canvas canvas(static_cast<std::size_t>(std::lround(extent.x * scale)),
                static_cast<std::size_t>(std::lround(extent.y * scale)));
  for (std::size_t y = 0; y < canvas.height(); ++y) {
    for (std::size_t x = 0; x < canvas.width(); ++x) {
      const Point at = {(static_cast<double>(x) + 0.5) / scale - kMapMargin,
                        (static_cast<double>(y) + 0.5) / scale - kMapMargin};
      const std::int64_t unit = unit_at(map, at);
      canvas.set(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y),
                 unit < 0 ? kPaper : colored.color[static_cast<std::size_t>(unit)]);
    }
  }
  for (const auto& [a, b] : topic_borders(map)) draw_line(canvas, a, b, scale);
  return encode(canvas);
}

}  // namespace kindred::cli
