#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kindred {

/// Receives the messages of the library, one sentence per call; empty means silence. It may be
/// called from any thread, but one object never calls it from two threads at once. It must not call
/// that object.
using Log = std::function<void(const std::string& message)>;

/// A log that passes messages on to `log`, and may be called by any number of threads, which take
/// turns. Empty if `log` is empty.
inline Log taking_turns(Log log) {
  if (!log) return log;
  return
      [log = std::move(log), mutex = std::make_shared<std::mutex>()](const std::string& message) {
        const std::lock_guard turn(*mutex);
        log(message);
      };
}

}  // namespace kindred
