#include "plugin/history/history_time.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace kindred {
namespace {

using std::chrono::milliseconds;

std::string padded(std::uint64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

/// Takes so many digits, and what follows them, off the beginning; nothing if they are not there.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits,
                                    std::string_view behind) {
  if (text.size() < digits + behind.size() || text.substr(digits, behind.size()) != behind)
    return {};
  const std::string_view number = text.substr(0, digits);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return {};
  unsigned value = 0;
  std::from_chars(number.data(), number.data() + digits, value);
  text.remove_prefix(digits + behind.size());
  return value;
}

std::optional<std::uint64_t> parsed_age(std::string_view text, std::uint64_t now) {
  constexpr std::uint64_t kMinute = 60'000;
  if (text.size() < 2 || text.size() > 8) return {};
  std::uint64_t unit = 0;
  if (text.back() == 'm') unit = kMinute;
  if (text.back() == 'h') unit = 60 * kMinute;
  if (text.back() == 'd') unit = kMillisecondsPerDay;
  const auto number = take_number(text, text.size() - 1, "");
  if (unit == 0 || !number) return {};
  return now - std::min(now, *number * unit);
}

/// The part of the day, behind its "T".
std::optional<std::uint64_t> parsed_hour(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const auto hours = take_number(text, 2, ":");
  const auto minutes = take_number(text, 2, text.size() > 2 ? ":" : "");
  std::optional<unsigned> seconds = 0;
  if (!text.empty()) seconds = take_number(text, 2, "");
  const bool is_good =
      hours && minutes && seconds && text.empty() && *hours < 24 && *minutes < 60 && *seconds < 60;
  if (!is_good) return {};
  return ((std::uint64_t{*hours} * 60 + *minutes) * 60 + *seconds) * 1000;
}

}  // namespace

std::string time_text(std::uint64_t time) {
  // A damaged number is no reason to leave the calendar.
  constexpr std::uint64_t kEnd = 253'402'300'800'000;  // the year 10000
  const milliseconds since(std::min(time, kEnd - 1));
  const auto day = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const auto seconds = static_cast<std::uint64_t>((since - day).count() / 1000);
  return padded(static_cast<std::uint64_t>(int(date.year())), 4) + '-' +
         padded(unsigned(date.month()), 2) + '-' + padded(unsigned(date.day()), 2) + 'T' +
         padded(seconds / 3600, 2) + ':' + padded(seconds / 60 % 60, 2) + ':' +
         padded(seconds % 60, 2) + 'Z';
}

std::optional<std::uint64_t> parsed_time(std::string_view text, std::uint64_t now) {
  if (const auto age = parsed_age(text, now)) return age;

  const auto year = take_number(text, 4, "-");
  const auto month = take_number(text, 2, "-");
  const bool has_hour = text.size() > 2;
  const auto day = take_number(text, 2, has_hour ? "T" : "");
  if (!year || !month || !day || *year < 1970) return {};
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return {};

  std::optional<std::uint64_t> hour = 0;
  if (has_hour) hour = parsed_hour(text);
  if (!hour) return {};
  const milliseconds begin = std::chrono::sys_days(date).time_since_epoch();
  return static_cast<std::uint64_t>(begin.count()) + *hour;
}

std::uint64_t milliseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto count = std::chrono::duration_cast<milliseconds>(now).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
}

}  // namespace kindred
