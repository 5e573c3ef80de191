#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kindred {

/// Milliseconds since 1970 as a time in UTC: "2026-11-29T08:30:00Z".
std::string time_text(std::uint64_t milliseconds);

/// The milliseconds at which a day begins ("2026-11-29", in UTC), or those of a time
/// ("2026-11-29T08:30", with seconds or not, with Z at its end or not), or of an age in minutes,
/// hours or days before `now` ("30m", "12h", "7d"). Nothing for anything else.
std::optional<std::uint64_t> parsed_time(std::string_view text, std::uint64_t now);

/// The clock of this machine.
std::uint64_t milliseconds_now();

inline constexpr std::uint64_t kMillisecondsPerDay = std::uint64_t{24} * 60 * 60 * 1000;

}  // namespace kindred
