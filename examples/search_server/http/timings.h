#pragma once

#include <chrono>

namespace search_server {

/// Where the time of a request went, in seconds. Belongs to one thread at a time.
struct Timings {
  double xapian = 0;  ///< in calls of Xapian
  double plugin = 0;  ///< in calls of the plugin
};

/// Adds the time between its construction and its destruction to a sum:
/// `const TimeSpent spent(request.timings.xapian);`
class TimeSpent {
 public:
  explicit TimeSpent(double& seconds) : seconds_(seconds) {}
  ~TimeSpent() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  TimeSpent(const TimeSpent&) = delete;
  TimeSpent& operator=(const TimeSpent&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace search_server
