#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace search_server {

/// Threads that do tasks in the order in which they came. All methods may be called from any
/// thread.
class WorkerPool {
 public:
  using Task = std::function<void()>;  ///< throws nothing

  /// `queue` is the most tasks that wait for a thread.
  /// @throws std::system_error if the system gives no thread.
  WorkerPool(std::size_t threads, std::size_t queue);
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False if the queue is full or the pool is stopped.
  bool submit(Task task);

  /// A task after `delay`, for work that was admitted before: it does not count for the queue.
  /// After stop() it is dropped.
  void submit_after(std::chrono::milliseconds delay, Task task);

  std::size_t waiting() const;  ///< tasks that wait for a thread now
  std::size_t busy() const;     ///< threads that do a task now

  /// Drops the tasks that wait, and returns when those that run have ended.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  Task take();

  const std::size_t queue_limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;
  std::multimap<Clock::time_point, Task> later_;
  std::size_t busy_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace search_server
