#include "config/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace kindred {

std::string number_text(double value) {
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  const bool plain = std::trunc(value) == value && std::abs(value) < 1e15;
  const auto written = plain ? std::to_chars(text.data(), end, value, std::chars_format::fixed)
                             : std::to_chars(text.data(), end, value);
  return {text.data(), written.ptr};
}

}  // namespace kindred
