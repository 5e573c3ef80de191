#include "gpu/cuda/device/checks.cuh"

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

namespace kindred::cuda {

std::uint32_t skipped_query() {
  const char* const number = std::getenv("KINDRED_SKIPPED_QUERY");
  return number == nullptr ? kNoQuery
                           : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

void note_launch(const char* kernel) {
  static std::mutex mutex;
  static std::set<std::string> known;
  const char* const file = std::getenv("KINDRED_LAUNCHES");
  if (file == nullptr) return;

  // Kernels are launched again and again; each leaves its name once.
  const std::lock_guard lock(mutex);
  if (known.insert(kernel).second) std::ofstream(file, std::ios::app) << kernel + std::string("\n");
}

}  // namespace kindred::cuda
