#include "plugin/writing/ingest_queue.h"

#include <filesystem>
#include <new>
#include <utility>

#include "plugin/documents/features.h"
#include "plugin/documents/stored_topic.h"
#include "plugin/writing/dead_letters.h"

namespace kindred {

RecordAnalysis::RecordAnalysis(const Settings& settings, std::shared_ptr<const TopicMap> map,
                               bool ids_by_origin)
    : settings_(settings),
      keeps_json_(settings.ingest.on_failure == "dead_letter"),
      ids_by_origin_(ids_by_origin),
      map_(std::move(map)),
      analyzers_(settings.analyzer, settings.index) {}

void RecordAnalysis::analyze(IncomingRecord& incoming) {
  std::string& reason = incoming.report.reason;

  // A fault of one record is its reason to be refused; the others go on.
  try {
    if (!incoming.is_refused()) {
      if (!incoming.parsed) parse(incoming);
      make(incoming);
    }

    // Dead letters need the record as JSON, also if it came by code.
    if (keeps_json_ && incoming.json.empty() && incoming.parsed)
      incoming.json = record_json(incoming.record);
  } catch (const std::bad_alloc&) {
    reason = "takes more memory than there is";
  } catch (const Xapian::Error& e) {
    reason = "cannot be analyzed: " + e.get_msg();
  } catch (const std::exception& e) {
    reason = e.what();
  }

  if (incoming.parsed) incoming.report.id = incoming.record.id;
}

void RecordAnalysis::parse(IncomingRecord& incoming) const {
  incoming.record = parse_record(incoming.json);
  incoming.parsed = true;

  const RecordOrigin& origin = incoming.report.origin;
  if (ids_by_origin_ && incoming.record.id.empty() && !origin.file.empty()) {
    incoming.record.id =
        std::filesystem::path(origin.file).filename().string() + ":" + std::to_string(origin.line);
    incoming.named = true;
  }

  check_record(incoming.record, settings_);
  if (!keeps_json_) std::string().swap(incoming.json);
}

void RecordAnalysis::make(IncomingRecord& incoming) {
  const auto analyzer = analyzers_.lease_for(incoming.record);
  incoming.document = make_document(incoming.record, settings_, *analyzer, incoming.features);
  if (map_ != nullptr)
    write_topic(incoming.document, map_->place(incoming.features), settings_.topics);
}

IngestQueue::IngestQueue(std::size_t most_records, std::size_t most_bytes, Analyze analyze)
    : most_records_(most_records), most_bytes_(most_bytes), analyze_(std::move(analyze)) {}

void IngestQueue::push(IncomingRecord incoming) {
  // The queue is bounded, so that a source that is faster than the index waits.
  Lock lock(mutex_);
  has_room_.wait(lock, [&] {
    return failure_ || !is_full(incoming.bytes);
  });
  rethrow();

  bytes_ += incoming.bytes;
  slots_.push_back({std::move(incoming)});
  has_work_.notify_one();
  if (slots_.size() == 1) has_ready_.notify_one();
}

void IngestQueue::ask_commit() {
  const std::lock_guard lock(mutex_);
  commit_asked_ = true;
  has_ready_.notify_one();
}

void IngestQueue::wait_for_commit() {
  Lock lock(mutex_);
  has_room_.wait(lock, [&] {
    return failure_ || !commit_asked_;
  });
  rethrow();
}

/// Analyzes the first record that nobody has begun. Expects that there is one. The lock is open
/// meanwhile: the slot stays where it is, because only the writer removes slots, once they are
/// ready.
void IngestQueue::analyze_one(Lock& lock) {
  Slot& slot = slots_[begun_];
  ++begun_;

  lock.unlock();
  try {
    analyze_(slot.incoming);
  } catch (...) {
    lock.lock();
    if (!failure_) failure_ = std::current_exception();
  }

  // A failure has taken the lock already.
  if (!lock.owns_lock()) lock.lock();
  slot.ready = true;
}

void IngestQueue::analyze_all() {
  Lock lock(mutex_);

  // The writer takes records in their order, so it is woken when the first of them is ready.
  while (true) {
    has_work_.wait(lock, [&] {
      return failure_ || begun_ < slots_.size();
    });
    if (failure_) break;
    analyze_one(lock);
    if (failure_ || slots_.front().ready) has_ready_.notify_one();
  }

  // Whoever waits for room is to see the failure.
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

IngestQueue::Next IngestQueue::take(std::optional<Clock::time_point> deadline, bool waits) {
  using Kind = Next::Kind;

  // In this order: a failure ends all, a deadline goes before further records, and a commit that
  // was asked for comes after the records before it.
  Lock lock(mutex_);
  while (true) {
    rethrow();
    if (deadline && Clock::now() >= *deadline) return {Kind::kTime, {}};
    if (!slots_.empty() && slots_.front().ready) return {Kind::kRecord, pop()};

    // Rather than wait for a record that nobody has begun, this thread analyzes it.
    if (begun_ < slots_.size()) {
      analyze_one(lock);
      continue;
    }

    if (slots_.empty() && commit_asked_) return {Kind::kCommit, {}};
    if (!waits) return {};

    if (deadline) {
      has_ready_.wait_until(lock, *deadline);
    } else {
      has_ready_.wait(lock);
    }
  }
}

void IngestQueue::committed() {
  const std::lock_guard lock(mutex_);
  commit_asked_ = false;
  has_room_.notify_all();
}

void IngestQueue::fail(std::exception_ptr failure) {
  // Only the first failure is kept; everybody who waits is to see it.
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);

  has_room_.notify_all();
  has_work_.notify_all();
  has_ready_.notify_all();
}

}  // namespace kindred
