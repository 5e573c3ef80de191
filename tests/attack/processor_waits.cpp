#include "tests/attack/processor_waits.h"

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kindred::attack {
namespace {

constexpr const char* kThreads = "/proc/self/task/";

}  // namespace

std::vector<std::string> running_threads() {
  std::vector<std::string> threads;
  for (const auto& entry : std::filesystem::directory_iterator(kThreads))
    threads.push_back(entry.path().filename());
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::string this_thread() { return std::to_string(gettid()); }

double waited_ms(const std::string& thread) {
  std::ifstream file(kThreads + thread + "/schedstat");
  double ran_ns = 0, waited_ns = 0;
  file >> ran_ns >> waited_ns;
  return waited_ns / 1e6;
}

}  // namespace kindred::attack
