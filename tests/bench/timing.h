#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

namespace kindred::bench {

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Processor time of this thread: on a shared machine it leaves out the time that others ran.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds that `work` takes, by one of the clocks above.
template <double now() = wall_seconds, typename Work>
double seconds_of(Work&& work) {
  const double start = now();
  work();
  return now() - start;
}

/// The value below which this share of `values` lies: .5 is the median, 0 and 1 the extremes.
inline double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + .5)];
}

}  // namespace kindred::bench
