#pragma once

#include <cstdint>

namespace kindred::cli {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
};

}  // namespace kindred::cli
