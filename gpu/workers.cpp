#include "gpu/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kindred {
namespace {

class Work {
 public:
  Work(std::size_t items, const std::function<void(std::size_t)>& work)
      : items_(items), work_(work) {}

  /// Takes items until there are none left or one failed.
  void run() noexcept try {
    for (std::size_t item; (item = next_.fetch_add(1, std::memory_order_relaxed)) < items_;)
      work_(item);
  } catch (...) {
    next_.store(items_, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t items_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::size_t number_of_threads(std::size_t wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

void for_each_item(std::size_t items, std::size_t threads,
                   const std::function<void(std::size_t)>& work) {
  Work shared(items, work);
  std::vector<std::thread> others;
  const std::size_t wanted = std::min(items, number_of_threads(threads));
  if (wanted > 1) others.reserve(wanted - 1);
  try {
    while (others.size() + 1 < wanted) others.emplace_back([&shared] { shared.run(); });
  } catch (...) {
    // The system gives no more threads, so those that run do the work.
  }
  shared.run();
  for (std::thread& other : others) other.join();
  shared.rethrow();
}

}  // namespace kindred
