#include "plugin/writer.h"

#include <utility>

namespace search_server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 4096;
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;
/// After this long without a record, the write lock is released.
constexpr auto kIdle = std::chrono::milliseconds(300);

IngestOutcome outcome_of(const kindred_document_report& report) {
  IngestOutcome outcome;
  outcome.kind = report.outcome == KINDRED_ADDED      ? IngestOutcome::Kind::kAdded
                 : report.outcome == KINDRED_REPLACED ? IngestOutcome::Kind::kReplaced
                                                      : IngestOutcome::Kind::kRefused;
  outcome.id = view(report.id);
  outcome.pending = report.pending != 0;
  outcome.reason = view(report.reason);
  for (std::size_t i = 0; i < report.tag_count; ++i) {
    outcome.predicted.emplace_back(view(report.tags[i].tag), report.tags[i].confidence);
  }
  return outcome;
}

}  // namespace

Writer::Writer(CurrentHandle& current) : current_(current), thread_([this] { write(); }) {}

std::shared_ptr<WriteTask> Writer::ingest(std::string record, Queue queue,
                                          Clock::time_point deadline) {
  return hand_in(std::make_shared<WriteTask>(std::move(record)), queue, deadline);
}

std::shared_ptr<WriteTask> Writer::run(WriteTask::Work work, Clock::time_point deadline) {
  return hand_in(std::make_shared<WriteTask>(std::move(work)), kPeople, deadline);
}

std::shared_ptr<WriteTask> Writer::hand_in(std::shared_ptr<WriteTask> task, Queue queue,
                                           Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto has_room = [&] {
    return stopping_ ||
           (waiting_[queue].size() < kMostWaiting && waiting_bytes_[queue] < kMostWaitingBytes);
  };
  if (!changed_.wait_until(lock, deadline, has_room) || stopping_) return nullptr;
  waiting_bytes_[queue] += task->record().size();
  waiting_[queue].push_back(task);
  changed_.notify_all();
  return task;
}

void Writer::exclusively(const WriteTask::Work& work) {
  const std::lock_guard gate(gate_);
  work(*current_.get());
}

void Writer::reported(const kindred_document_report& report) {
  const std::lock_guard lock(mutex_);
  if (unreported_.empty()) return;
  reported_.emplace_back(std::move(unreported_.front()), outcome_of(report));
  unreported_.pop_front();
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Writer::write() {
  while (wait_for_tasks()) {
    const std::lock_guard gate(gate_);
    write_records();
    write_other();
  }
  end_ingest();
}

/// False if there will be none any more.
bool Writer::wait_for_tasks() {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return stopping_ || !nothing_waits(); };
  if (!changed_.wait_for(lock, kIdle, has_work) && ingesting_) {
    lock.unlock();
    end_ingest();
    lock.lock();
  }
  changed_.wait(lock, has_work);
  return !nothing_waits();
}

bool Writer::nothing_waits() const { return waiting_[kPeople].empty() && waiting_[kBulk].empty(); }

/// The next task if it is a record; it becomes one that the library has.
std::shared_ptr<WriteTask> Writer::next_record() {
  const std::lock_guard lock(mutex_);
  while (!nothing_waits()) {
    const Queue queue = waiting_[kPeople].empty() ? kBulk : kPeople;
    std::shared_ptr<WriteTask> task = waiting_[queue].front();
    if (!task->is_record()) return nullptr;
    waiting_[queue].pop_front();
    waiting_bytes_[queue] -= task->record().size();
    changed_.notify_all();
    if (!task->begin()) continue;
    unreported_.push_back(task);
    return task;
  }
  return nullptr;
}

void Writer::write_records() {
  const auto start = Clock::now();
  const std::shared_ptr<const Handle> handle = current_.get();
  std::size_t count = 0;
  try {
    while (count < group_size_.records() && Clock::now() - start < GroupSize::kTime) {
      const std::shared_ptr<WriteTask> task = next_record();
      if (!task) break;
      ++count;
      ingesting_ = true;
      try {
        handle->call(&kindred_descriptor::ingest, task->record().data(), task->record().size(),
                     static_cast<kindred_ingest_report*>(nullptr));
      } catch (const PluginError& e) {
        // A record that is refused is reported as all others are.
        if (e.code() != KINDRED_INVALID_ARGUMENT) throw;
      }
    }
    if (count > 0) {
      handle->call(&kindred_descriptor::commit, static_cast<kindred_ingest_report*>(nullptr));
      throw_if_unreported();
      group_size_.took(count, Clock::now() - start);
    }
  } catch (...) {
    fail_unreported(std::current_exception());
  }
  answer_reported();
}

/// One task that is no record, if it is the next.
void Writer::write_other() {
  std::shared_ptr<WriteTask> task;
  {
    const std::lock_guard lock(mutex_);
    Tasks& waiting = waiting_[kPeople];
    if (waiting.empty() || waiting.front()->is_record()) return;
    task = std::move(waiting.front());
    waiting.pop_front();
    changed_.notify_all();
  }
  if (!task->begin()) return;
  try {
    task->work()(*current_.get());
    task->finish({});
  } catch (...) {
    task->fail(std::current_exception());
  }
}

void Writer::end_ingest() {
  if (!ingesting_) return;
  const std::lock_guard gate(gate_);
  ingesting_ = false;
  try {
    current_.get()->call(&kindred_descriptor::end_ingest,
                         static_cast<kindred_ingest_report*>(nullptr));
  } catch (const PluginError&) {
    // Everything was committed before; only the refresh can fail, and the next one makes it good.
  }
}

/// What was reported is on disk, and found if the commit could refresh the handle.
void Writer::answer_reported() {
  decltype(reported_) answered;
  {
    const std::lock_guard lock(mutex_);
    answered.swap(reported_);
  }
  for (auto& [task, outcome] : answered) task->finish(std::move(outcome));
}

/// Nobody is to wait for a report that does not come.
void Writer::throw_if_unreported() {
  const std::lock_guard lock(mutex_);
  if (!unreported_.empty()) throw PluginError(KINDRED_INTERNAL, "a record was not reported");
}

void Writer::fail_unreported(std::exception_ptr error) {
  Tasks lost;
  {
    const std::lock_guard lock(mutex_);
    lost.swap(unreported_);
  }
  for (const std::shared_ptr<WriteTask>& task : lost) task->fail(error);
}

}  // namespace search_server
