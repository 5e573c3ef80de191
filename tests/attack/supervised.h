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

constexpr int kSanitizerStatus = 99;  ///< by which a sanitizer ends a process

/// Runs `body` in a process of its own, which it ends by a status, with output and errors going to
/// `log`. The process is killed after some seconds, or when it takes more than that memory.
End supervise(const std::function<int()>& body, const std::string& log, int seconds,
              std::size_t memory_mb);

}  // namespace kindred::attack
