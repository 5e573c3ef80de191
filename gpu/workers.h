#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "config/api.h"

// The only place where threads start. If the system gives no more threads, those that run do the
// work, in the end the caller alone.

namespace kindred {

/// `wanted` threads; 0 = one per core.
KINDRED_API std::size_t number_of_threads(std::size_t wanted);

/// Calls work(item) once for every item in [0, items), on up to `threads` threads (as above),
/// including the caller's. Any thread may take any item. Blocks until all are done. The first
/// exception that work throws stops the rest and is thrown here.
void for_each_item(std::size_t items, std::size_t threads,
                   const std::function<void(std::size_t item)>& work);

/// As for_each_item(), for tasks that are long and call for_each_item() themselves: a thread that
/// has no task takes items of those calls, until all tasks are done. At most `threads` threads (as
/// above) run in all, whatever numbers the calls within ask for, and at most `at_once` have a task
/// at the same time. Within a task, it is for_each_item().
void for_each_task(std::size_t tasks, std::size_t at_once, std::size_t threads,
                   const std::function<void(std::size_t task)>& work);

/// How many chunks of `chunk` items, the last perhaps smaller, `items` are cut into.
template <std::unsigned_integral Count>
constexpr std::size_t number_of_chunks(Count items, std::type_identity_t<Count> chunk) {
  const auto whole = static_cast<std::size_t>(items / chunk);
  return items % chunk == 0 ? whole : whole + 1;
}

/// Cuts [0, items) into chunks and calls work(begin, end) once for each, as for_each_item() calls
/// it for an item. What a call of work() sets up, such as scratch memory, serves its whole chunk.
template <std::unsigned_integral Count, typename Work>
void for_each_chunk(Count items, std::type_identity_t<Count> chunk, std::size_t threads,
                    Work&& work) {
  for_each_item(number_of_chunks(items, chunk), threads, [&](std::size_t item) {
    const auto begin = static_cast<Count>(item * chunk);
    const auto end = static_cast<Count>(begin + std::min<Count>(chunk, items - begin));
    work(begin, end);
  });
}

/// The first of [0, items) for which is_wrong(item) holds, else `items`; looks at chunks as above.
template <typename IsWrong>
std::uint32_t first_wrong(std::uint32_t items, std::uint32_t chunk, std::size_t threads,
                          IsWrong&& is_wrong) {
  std::atomic<std::uint32_t> first = items;
  for_each_chunk(items, chunk, threads, [&](std::uint32_t begin, std::uint32_t end) {
    // The first in this chunk. Others may have found one in an earlier chunk, which is then kept.
    while (begin < end && !is_wrong(begin)) ++begin;
    if (begin == end) return;

    std::uint32_t known = first;
    while (begin < known && !first.compare_exchange_weak(known, begin)) continue;
  });
  return first;
}

/// Calls work() in a thread of its own while the caller does something else. If `threads` (as
/// above) is 1, or the system gives no thread, the caller runs it when it asks the future. The
/// future throws what work() throws, and its destructor waits for the thread.
template <typename Work>
auto run_beside(std::size_t threads, Work work) -> std::future<std::invoke_result_t<Work&>> {
  const auto shared = std::make_shared<Work>(std::move(work));  // a start that fails loses nothing
  const auto call = [shared] {
    return (*shared)();
  };

  if (number_of_threads(threads) > 1) {
    try {
      return std::async(std::launch::async, call);
    } catch (const std::system_error&) {
    }
  }
  return std::async(std::launch::deferred, call);
}

}  // namespace kindred
