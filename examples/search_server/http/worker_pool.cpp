#include "http/worker_pool.h"

#include <utility>

namespace search_server {

WorkerPool::WorkerPool(std::size_t threads, std::size_t queue) : queue_limit_(queue) {
  threads_.reserve(threads);
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (...) {
    stop();
    throw;
  }
}

bool WorkerPool::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    const std::size_t idle = threads_.size() - busy_;
    if (stopped_ || queue_.size() >= queue_limit_ + idle) return false;
    queue_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::submit_after(std::chrono::milliseconds delay, Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    later_.emplace(Clock::now() + delay, std::move(task));
  }
  changed_.notify_one();
}

std::size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::size_t WorkerPool::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

void WorkerPool::stop() {
  std::deque<Task> dropped;
  std::multimap<Clock::time_point, Task> dropped_later;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(queue_);
    dropped_later.swap(later_);
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

WorkerPool::Task WorkerPool::take() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (stopped_) return nullptr;
    if (!later_.empty() && later_.begin()->first <= Clock::now()) {
      return ++busy_, std::move(later_.extract(later_.begin()).mapped());
    }
    if (!queue_.empty()) {
      Task task = std::move(queue_.front());
      queue_.pop_front();
      ++busy_;
      return task;
    }
    if (later_.empty()) {
      changed_.wait(lock);
    } else {
      const Clock::time_point next = later_.begin()->first;
      changed_.wait_until(lock, next);
    }
  }
}

void WorkerPool::run() {
  while (Task task = take()) {
    task();
    task = nullptr;
    const std::lock_guard lock(mutex_);
    --busy_;
  }
}

}  // namespace search_server
