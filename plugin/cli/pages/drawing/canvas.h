#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/cli/pages/drawing/color.h"
#include "plugin/cli/pages/drawing/point.h"

namespace kindred::cli {

/// Which samples of a rectangle are ink, row by row from the top.
struct Ink {
  std::size_t width = 0, height = 0;
  std::vector<bool> samples;

  bool at(std::size_t x, std::size_t y) const {
    return x < width && y < height && samples[y * width + x];
  }
};

/// Samples of a drawing, finer than its pixels. Lengths are in lattice units, points those of the
/// lattice. What lies outside is left out.
class Canvas {
 public:
  /// The upper left corner is at (-margin, -margin). `pixels`: of a lattice unit.
  Canvas(Point extent, double margin, double pixels, const Color& paper);

  /// Samples of a lattice unit.
  double scale() const { return scale_; }

  /// Colors the samples of a box, given by its upper left and lower right corners, by color(point).
  template <typename ColorAt>
  void fill(Point a, Point c, ColorAt&& color) {
    const std::size_t left = sample(a.x, width_), right = sample(c.x, width_);
    const std::size_t top = sample(a.y, height_), bottom = sample(c.y, height_);
    for (std::size_t y = top; y < bottom; ++y)
      for (std::size_t x = left; x < right; ++x) samples_[y * width_ + x] = color(point(x, y));
  }

  /// A line with round ends.
  void line(Point a, Point b, double width, const Color& color);

  /// Ink with its upper left corner at a point, as if each of its samples were a dot of this
  /// radius, or just the samples if it is 0.
  void stamp(Point corner, const Ink& ink, double radius, const Color& color);

  /// The bytes of a PNG, whose pixels are the means of their samples.
  /// @throws Error kInternal if libpng fails.
  std::string png() const;

 private:
  Point point(std::size_t x, std::size_t y) const {
    return {(static_cast<double>(x) + 0.5) / scale_ - margin_,
            (static_cast<double>(y) + 0.5) / scale_ - margin_};
  }
  /// The sample at a coordinate, `end` if it lies beyond that.
  std::size_t sample(double at, std::size_t end) const {
    return static_cast<std::size_t>(
        std::clamp((at + margin_) * scale_, 0.0, static_cast<double>(end)));
  }
  void dot(std::int64_t x, std::int64_t y, std::int64_t radius, const Color& color);
  std::vector<std::uint8_t> pixels() const;

  double margin_, scale_;
  std::size_t width_, height_;
  std::vector<Color> samples_;
};

}  // namespace kindred::cli
