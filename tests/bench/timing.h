#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
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

/// What a piece of work took.
struct Measured {
  double seconds;     ///< by the clock
  double per_second;  ///< documents
};

/// Prints the head of the table whose lines measure() prints.
inline void print_throughput_head() {
  std::printf("%-36s %9s %8s %10s %12s %10s\n", "", "documents", "seconds", "a second",
              "processor s", "a second");
}

/// Runs `work` once, which handles `documents` documents, and prints a line: documents, seconds and
/// documents per second by the clock, then by the time of all processors.
template <class Work>
Measured measure(const char* name, std::size_t documents, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor_start = std::clock();
  work();
  const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const auto count = static_cast<double>(documents);
  std::printf("%-36s %9zu %8.2f %10.0f %12.2f %10.0f\n", name, documents, wall.count(),
              count / wall.count(), processor, count / processor);
  std::fflush(stdout);
  return {wall.count(), count / wall.count()};
}

}  // namespace kindred::bench
