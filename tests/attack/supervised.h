#pragma once

#include <functional>
#include <string>

namespace kindred::attack {

/// How a process ended.
struct End {
  enum Kind { kExit, kSignal, kSanitizer, kHang, kGrowth };
  Kind kind = kExit;
  int number = 0;  ///< its status, or the signal

  bool is_fault() const { return kind != kExit; }
  std::string name() const;
};

constexpr int kSanitizerStatus = 99;  ///< the exit status that a sanitizer gives to a process

/// Runs `body` in a process of its own, which ends with a status. Output and errors go to `log`.
/// The process is killed after some seconds, or when it uses more than this memory.
End supervise(const std::function<int()>& body, const std::string& log, int seconds,
              std::size_t memory_mb);

}  // namespace kindred::attack
