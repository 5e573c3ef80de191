#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kindred {

/// Receives what the library has to say, one sentence a call; empty means silence. May be called
/// from any thread, not from two at once for one object, which it must not call in turn.
using Log = std::function<void(const std::string& message)>;

/// The same log for any number of threads, which take turns; empty if `log` is.
inline Log taking_turns(Log log) {
  if (!log) return log;
  return
      [log = std::move(log), mutex = std::make_shared<std::mutex>()](const std::string& message) {
        const std::lock_guard turn(*mutex);
        log(message);
      };
}

}  // namespace kindred
