#include "plugin/cli/pages/drawing/canvas.h"

#include <png.h>
#include <cmath>

#include "config/error.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kFiner = 4;  // samples of a pixel along each axis

std::size_t samples_of(double pixels) {
  return kFiner * static_cast<std::size_t>(std::lround(pixels));
}

/// Of a point from the line between a and b.
double distance(Point at, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
  const double along = squared > 0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / squared : 0;
  const double part = std::clamp(along, 0.0, 1.0);
  return std::hypot(at.x - a.x - part * dx, at.y - a.y - part * dy);
}

}  // namespace

Canvas::Canvas(Point extent, double margin, double pixels, const Color& paper)
    : margin_(margin),
      scale_(pixels * kFiner),
      width_(samples_of(extent.x * pixels)),
      height_(samples_of(extent.y * pixels)),
      samples_(width_ * height_, paper) {}

void Canvas::line(Point a, Point b, double width, const Color& color) {
  const double reach = width / 2;
  const std::size_t left = sample(std::min(a.x, b.x) - reach, width_);
  const std::size_t right = sample(std::max(a.x, b.x) + reach + 1 / scale_, width_);
  const std::size_t top = sample(std::min(a.y, b.y) - reach, height_);
  const std::size_t bottom = sample(std::max(a.y, b.y) + reach + 1 / scale_, height_);
  for (std::size_t y = top; y < bottom; ++y)
    for (std::size_t x = left; x < right; ++x)
      if (distance(point(x, y), a, b) <= reach) samples_[y * width_ + x] = color;
}

void Canvas::stamp(Point corner, const Ink& ink, double radius, const Color& color) {
  const std::int64_t left = std::lround((corner.x + margin_) * scale_);
  const std::int64_t top = std::lround((corner.y + margin_) * scale_);
  const std::int64_t reach = std::lround(radius * scale_);
  for (std::size_t y = 0; y < ink.height; ++y) {
    for (std::size_t x = 0; x < ink.width; ++x) {
      if (!ink.at(x, y)) continue;
      // Only dots at the edge reach what no other sample of the ink does.
      const bool is_inner =
          ink.at(x - 1, y) && ink.at(x + 1, y) && ink.at(x, y - 1) && ink.at(x, y + 1);
      dot(left + static_cast<std::int64_t>(x), top + static_cast<std::int64_t>(y),
          is_inner ? 0 : reach, color);
    }
  }
}

void Canvas::dot(std::int64_t x, std::int64_t y, std::int64_t radius, const Color& color) {
  for (std::int64_t down = -radius; down <= radius; ++down) {
    for (std::int64_t across = -radius; across <= radius; ++across) {
      const std::int64_t row = y + down, column = x + across;
      if (across * across + down * down > radius * radius || row < 0 || column < 0) continue;
      const auto at_row = static_cast<std::size_t>(row);
      const auto at_column = static_cast<std::size_t>(column);
      if (at_row < height_ && at_column < width_) samples_[at_row * width_ + at_column] = color;
    }
  }
}

std::vector<std::uint8_t> Canvas::pixels() const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(width_ / kFiner * (height_ / kFiner) * 3);
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

std::string Canvas::png() const {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_ / kFiner);
  image.height = static_cast<png_uint_32>(height_ / kFiner);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels().data(), 0, nullptr) == 0)
    throw Error(Errc::kInternal, std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace kindred::cli
