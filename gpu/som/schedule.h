#pragma once

#include <cstdint>

namespace kindred {

/// How the radius of the neighborhood shrinks over the epochs t = 0, 1, ...
struct SomSchedule {
  enum class Fall { kExponential, kLinear };

  double sigma_start = 0;  ///< > 0; 0: half the shorter side of the map, at least 1
  double sigma_end = 0.7;  ///< > 0, at most sigma_start: reached after `fall_epochs` and kept then
  Fall fall = Fall::kExponential;
  std::uint32_t epochs = 20;      ///< at least 1
  std::uint32_t fall_epochs = 0;  ///< 0: all but the last
  /// If > 0, sigma is sigma_start exp(-t / tau), but never below sigma_end; `fall` and
  /// `fall_epochs` are then ignored.
  double tau = 0;
};

/// sigma in epoch t. Exponential: sigma_start (sigma_end / sigma_start)^(t / fall_epochs).
double sigma_at(const SomSchedule& schedule, std::uint32_t epoch);

/// The schedule with its zeros replaced by the defaults for a map of this size.
/// @throws Error kInvalidArgument naming the value that is out of range.
SomSchedule resolved(SomSchedule schedule, std::uint32_t rows, std::uint32_t columns);

}  // namespace kindred
