#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

// The one place where threads start. Where the system gives none, the threads there are do the
// work, down to the caller alone.

namespace kindred {

/// `wanted` threads; 0 = one per core.
std::size_t number_of_threads(std::size_t wanted);

/// Calls work(item) once for every item in [0, items), on up to `threads` threads (as above), the
/// caller's among them; any thread may take any item. Blocks until all are done.
/// The first exception that work throws stops the rest and is thrown here.
void for_each_item(std::size_t items, std::size_t threads,
                   const std::function<void(std::size_t item)>& work);

/// Calls work() in a thread of its own, while the caller goes on with something else. With
/// `threads` (as above) of 1, or where the system gives no thread, the caller does it when it asks
/// the future. What work() throws, the future throws. The future waits for the thread when it goes.
template <typename Work>
auto run_beside(std::size_t threads, Work work) -> std::future<std::invoke_result_t<Work&>> {
  const auto shared = std::make_shared<Work>(std::move(work));  // a start that fails loses nothing
  const auto call = [shared] { return (*shared)(); };
  if (number_of_threads(threads) > 1) {
    try {
      return std::async(std::launch::async, call);
    } catch (const std::system_error&) {
    }
  }
  return std::async(std::launch::deferred, call);
}

}  // namespace kindred
