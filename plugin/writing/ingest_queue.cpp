#include "plugin/writing/ingest_queue.h"

#include <utility>

#include "config/error.h"

namespace kindred {

IngestQueue::IngestQueue(std::size_t most_records, std::size_t most_bytes, Analyze analyze)
    : most_records_(most_records), most_bytes_(most_bytes), analyze_(std::move(analyze)) {}

void IngestQueue::push(IncomingRecord incoming) {
  Lock lock(mutex_);
  has_room_.wait(lock, [&] { return failure_ || !is_full(incoming.bytes); });
  rethrow();
  bytes_ += incoming.bytes;
  slots_.push_back({std::move(incoming)});
  has_work_.notify_one();
  if (slots_.size() == 1) has_ready_.notify_one();
}

void IngestQueue::commit() {
  Lock lock(mutex_);
  rethrow();
  const std::uint64_t asked = ++commits_asked_;
  has_ready_.notify_one();
  has_room_.wait(lock, [&] { return failure_ || commits_done_ >= asked; });
  rethrow();
}

/// Analyzes the first record that nobody has begun. Expects that there is one. The lock is open
/// meanwhile: the slot stays where it is, because only the writer removes slots, once they are
/// ready.
void IngestQueue::analyze_one(Lock& lock) {
  Slot& slot = slots_[begun_++];
  lock.unlock();
  try {
    analyze_(slot.incoming);
  } catch (...) {
    lock.lock();
    if (!failure_) failure_ = std::current_exception();
  }
  if (!lock.owns_lock()) lock.lock();
  slot.ready = true;
}

void IngestQueue::analyze_all() {
  Lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [&] { return failure_ || closed_ || begun_ < slots_.size(); });
    if (failure_ || begun_ == slots_.size()) break;
    analyze_one(lock);
    if (failure_ || slots_.front().ready) has_ready_.notify_one();
  }
  has_room_.notify_all();
}

IncomingRecord IngestQueue::pop() {
  IncomingRecord incoming = std::move(slots_.front().incoming);
  slots_.pop_front();
  --begun_;
  bytes_ -= incoming.bytes;
  has_room_.notify_one();
  return incoming;
}

IngestQueue::Next IngestQueue::take(std::optional<Clock::time_point> deadline) {
  using Kind = Next::Kind;
  Lock lock(mutex_);
  while (true) {
    rethrow();
    if (deadline && Clock::now() >= *deadline) return {Kind::kTime, {}};
    if (!slots_.empty() && slots_.front().ready) return {Kind::kRecord, pop()};
    if (begun_ < slots_.size()) {
      analyze_one(lock);
      continue;
    }
    if (slots_.empty() && commits_done_ < commits_asked_) return {Kind::kCommit, {}};
    if (slots_.empty() && closed_) return {Kind::kEnd, {}};
    if (deadline) {
      has_ready_.wait_until(lock, *deadline);
    } else {
      has_ready_.wait(lock);
    }
  }
}

void IngestQueue::committed() {
  const std::lock_guard lock(mutex_);
  ++commits_done_;
  has_room_.notify_all();
}

void IngestQueue::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  has_room_.notify_all();
  has_work_.notify_all();
  has_ready_.notify_all();
}

void IngestQueue::close(bool abandon) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (abandon && !failure_) {
    failure_ = std::make_exception_ptr(Error(Errc::kCanceled, "ingest was abandoned"));
  }
  has_work_.notify_all();
  has_ready_.notify_all();
}

}  // namespace kindred
