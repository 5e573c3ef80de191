#include "plugin/profile/plain_number.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "config/shown.h"

namespace kindred {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// True for digits with whatever a locale puts between them, bytes of UTF-8 included.
bool is_number(std::string_view value) {
  constexpr std::string_view kOther = "-+e., '";
  return !value.empty() && is_digit(value.back()) && std::ranges::all_of(value, [&](char c) {
    return is_digit(c) || (c & 0x80) != 0 || kOther.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string plain_number(std::string_view value) {
  if (!is_number(value)) return std::string(value);
  const std::size_t power = std::min(value.find('e'), value.size());
  const std::string_view digits = value.substr(0, power);
  const std::size_t last = digits.find_last_not_of("-0123456789");
  if (last == std::string_view::npos && power == value.size()) return std::string(value);
  const bool groups =
      !digits.starts_with('0') && power == value.size() && digits.size() - last == 4;
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == last && !groups) plain += '.';
    if (digits[i] == '-' || is_digit(digits[i])) plain += digits[i];
  }
  plain.append(value.substr(power));
  double number = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  return read.ec == std::errc() ? number_text(number) : plain;
}

}  // namespace kindred
