#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace search_server {

/// How many records are committed together: as many as took about kTime before, so that whoever
/// hands in one document beside many does not wait for all of them. For one thread.
class GroupSize {
 public:
  static constexpr auto kTime = std::chrono::milliseconds(500);
  static constexpr std::size_t kLeast = 64;
  static constexpr std::size_t kMost = 5000;

  std::size_t records() const { return records_; }

  /// A group of so many records was written and committed in this time. Grows and shrinks by a
  /// factor of two at most, and never by a group that was small because no more records waited.
  void took(std::size_t records, std::chrono::duration<double> time) {
    const double part = time.count() / std::chrono::duration<double>(kTime).count();
    if (part < 1 && records < records_) return;
    const double fits = static_cast<double>(records) / std::max(part, 1e-3);
    const auto size = static_cast<double>(records_);
    records_ =
        std::clamp(static_cast<std::size_t>(std::clamp(fits, size / 2, size * 2)), kLeast, kMost);
  }

 private:
  std::size_t records_ = 512;
};

}  // namespace search_server
