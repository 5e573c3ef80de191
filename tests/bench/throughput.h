#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>

namespace kindred::bench {

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
