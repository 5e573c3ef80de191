#include "gpu/workers.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kindred {
namespace {

/// A loop over items, which any number of threads may run together.
class Loop {
 public:
  Loop(std::size_t items, const std::function<void(std::size_t)>& work)
      : items_(items), work_(work) {}

  /// Takes items until there are none left or one failed.
  void run() noexcept try {
    while (true) {
      const std::size_t item = next_.fetch_add(1, std::memory_order_relaxed);
      if (item >= items_) return;
      work_(item);
    }
  } catch (...) {
    // No thread takes another item, and the first failure is the one that the caller sees.
    next_.store(items_, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }

  bool has_items() const { return next_.load(std::memory_order_relaxed) < items_; }

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

/// The threads of a for_each_task(). Those that have no task help in the loops of the others.
class Team {
 public:
  /// @param tasks borrowed; at most `at_once` threads take them at the same time
  Team(Loop& tasks, std::size_t at_once) : tasks_(tasks), at_once_(at_once) {}

  /// What each thread of the team does until all tasks are done.
  void work() noexcept {
    of_this_thread = this;
    std::unique_lock lock(mutex_);

    // As many threads as may have a task take tasks. The lock is not held meanwhile, since share()
    // and help() of other threads need it.
    if (running_ < at_once_) {
      ++running_;
      lock.unlock();
      tasks_.run();
      lock.lock();
      if (--running_ == 0) changed_.notify_all();
    }

    // While tasks run, their loops may have items for this thread.
    while (running_ > 0 || tasks_.has_items()) help(lock);
    of_this_thread = nullptr;
  }

  /// Runs a loop in the calling thread, and in up to `most` others that have nothing else to do.
  void share(Loop& loop, std::size_t most) {
    Shared shared{&loop, most};

    // The loop is offered to others before the caller begins, and those that sleep are woken.
    if (most > 0) {
      const std::lock_guard lock(mutex_);
      shared_.push_back(&shared);
      if (idle_ > 0) changed_.notify_all();
    }

    loop.run();
    if (most == 0) return;

    // No thread may hold a pointer to this loop when it goes out of scope: it is taken from the
    // list, and helpers that are still at work are waited for.
    std::unique_lock lock(mutex_);
    std::erase(shared_, &shared);
    while (shared.helpers > 0) changed_.wait(lock);
  }

  static thread_local Team* of_this_thread;

 private:
  struct Shared {
    Loop* loop;
    std::size_t most;
    std::size_t helpers = 0;
  };

  /// Helps in the loop that has the fewest helpers, or waits for something to change.
  void help(std::unique_lock<std::mutex>& lock) {
    // Evenly spread helpers bring all loops to their ends at about the same time.
    Shared* fewest = nullptr;
    for (Shared* shared : shared_) {
      if (shared->helpers >= shared->most || !shared->loop->has_items()) continue;
      if (fewest == nullptr || shared->helpers < fewest->helpers) fewest = shared;
    }

    // Whoever offers a loop or ends one wakes this thread.
    if (fewest == nullptr) {
      ++idle_;
      changed_.wait(lock);
      --idle_;
      return;
    }

    // The count keeps share() from returning while this thread uses its loop without the lock.
    ++fewest->helpers;
    lock.unlock();
    fewest->loop->run();
    lock.lock();
    if (--fewest->helpers == 0) changed_.notify_all();
  }

  Loop& tasks_;
  const std::size_t at_once_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shared*> shared_;
  std::size_t running_ = 0;  ///< threads that take tasks
  std::size_t idle_ = 0;
};

thread_local Team* Team::of_this_thread = nullptr;

/// Calls work() in up to `threads` threads, the caller's among them.
template <typename Work>
void run_in_threads(std::size_t threads, Work work) {
  std::vector<std::thread> others;
  if (threads > 1) others.reserve(threads - 1);

  try {
    while (others.size() + 1 < threads) others.emplace_back(work);
  } catch (...) {
    // The system gives no more threads, so those that run do the work.
  }

  work();
  for (std::thread& other : others) other.join();
}

}  // namespace

std::size_t number_of_threads(std::size_t wanted) {
  if (wanted != 0) return wanted;
  return std::max(1u, std::thread::hardware_concurrency());
}

void for_each_item(std::size_t items, std::size_t threads,
                   const std::function<void(std::size_t)>& work) {
  Loop loop(items, work);

  // More threads than items would have nothing to do.
  const std::size_t wanted = std::max<std::size_t>(1, std::min(items, number_of_threads(threads)));

  // Inside a task of for_each_task(), the threads of its team help, so that no more run than it may
  // have.
  if (Team::of_this_thread != nullptr)
    Team::of_this_thread->share(loop, wanted - 1);
  else
    run_in_threads(wanted, [&loop] {
      loop.run();
    });

  loop.rethrow();
}

void for_each_task(std::size_t tasks, std::size_t at_once, std::size_t threads,
                   const std::function<void(std::size_t)>& work) {
  // Teams do not nest: within a task, idle threads of the outer team help.
  if (Team::of_this_thread != nullptr) return for_each_item(tasks, at_once, work);

  Loop loop(tasks, work);
  Team team(loop, std::max<std::size_t>(1, at_once));
  run_in_threads(number_of_threads(threads), [&team] {
    team.work();
  });
  loop.rethrow();
}

}  // namespace kindred
