#include "plugin/writing/resumable_run.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/value_check.h"
#include "plugin/store/writable_database.h"

namespace kindred {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 500;             // documents that are planned together
constexpr std::chrono::seconds kTransaction{1};  // no more documents after so long

}  // namespace

/// Where an interrupted run stopped: the last docid that was done; 0 if there is no run to
/// continue. It is written in the transactions of the run, and valid only if nothing else has
/// written to the database meanwhile.
Xapian::docid RunShard::last_done() const {
  // Another run's progress, or what is not of the last commit, says nothing.
  const json stored = json::parse(writer_->get_metadata(key_), nullptr, false);
  if (!stored.is_object() || stored.value("run", json()) != identity_) return 0;

  const std::uint64_t revision = revision_of(*writer_);
  if (revision == 0 || stored.value("revision", json()) != revision) return 0;

  const json docid = stored.value("docid", json());
  if (!docid.is_number_unsigned()) return 0;
  return docid.get<Xapian::docid>();
}

/// For the revision that the transaction under way will make.
void RunShard::keep_progress(Xapian::docid docid) {
  const json stored = {
      {"run", identity_}, {"revision", revision_of(*writer_) + 1}, {"docid", docid}};
  writer_->set_metadata(key_, stored.dump(-1, ' ', false, json::error_handler_t::replace));
}

void RunShard::forget_progress() {
  if (writer_->get_metadata(key_).empty()) return;
  writer_->set_metadata(key_, "");
  writer_->commit();
}

void RunShard::open(const Engine& engine) {
  writer_ = open_writable_shard(address_, engine.settings().write);
  check_values(*writer_, address_.name(), engine.settings());
}

/// False if another writer holds the lock.
bool RunShard::open_again() {
  try {
    writer_ = open_writable_shard(address_);
    return true;
  } catch (const Xapian::DatabaseLockError& e) {
    if (e.get_msg().ends_with("already locked")) return false;
    throw;
  }
}

void RunShard::close() {
  revision_ = revision_of(*writer_);
  writer_->close();
}

/// Returns how many of the documents are done.
std::size_t RunShard::start(bool restart) {
  if (!writer_ || restart) return 0;

  // Documents are done in the order of their numbers, so one number says how far it went.
  const Xapian::docid last = last_done();
  const auto next = std::partition_point(docids_.begin(), docids_.end(), [&](Xapian::docid docid) {
    return own(docid) <= last;
  });

  done_ = static_cast<std::size_t>(next - docids_.begin());
  return done_;
}

/// Plans the next documents, at most `room`.
void RunShard::plan_next(const Plan& plan, std::size_t room) {
  planned_ = std::min({kAtOnce, room, docids_.size() - done_});
  if (planned_ > 0) {
    next_ = plan(*this, std::span(docids_).subspan(done_, planned_));
  } else {
    next_ = {};
  }
}

/// Documents are planned while those before them are written, also beyond the transaction.
void RunShard::write_transaction(const Plan& plan, std::size_t most, TagHistory* history) {
  const Clock::time_point end = Clock::now() + kTransaction;
  if (is_done()) return;

  if (!next_.valid()) plan_next(plan, most);
  if (writer_) writer_->begin_transaction();

  // The plan of the next documents is made while these are written. It may reach beyond the
  // transaction: then the next one begins with it.
  const std::uint64_t before = counts_.written;
  std::size_t room = most;

  do {
    const Write write = next_.get();
    if (writer_ && !address_.is_remote()) check_room(address_.folder, 0);
    done_ += planned_;
    room -= planned_;
    plan_next(plan, room > 0 ? room : most);
    counts_.add(write());
  } while (room > 0 && !is_done() && Clock::now() < end);

  // The progress goes into the same transaction as the documents, or a crash between the two would
  // repeat or leave out some.
  if (!writer_) return;
  if (counts_.written > before) keep_progress(own(docids_[done_ - 1]));
  writer_->commit_transaction();
  if (history != nullptr) history->append(changes_);
}

/// Leaves out the documents that are not among `all` any more, and plans anew.
void RunShard::leave_out_gone(std::span<const Xapian::docid> all) {
  // The plan may be for documents that are gone.
  next_ = {};

  const auto left = docids_.begin() + static_cast<std::ptrdiff_t>(done_);
  const auto gone = std::remove_if(left, docids_.end(), [&](Xapian::docid docid) {
    return !std::ranges::binary_search(all, docid);
  });

  const auto removed = static_cast<std::uint64_t>(docids_.end() - gone);
  counts_.gone = removed;
  counts_.examined = removed;
  docids_.erase(gone, docids_.end());
}

ResumableRun::ResumableRun(Engine& engine, bool dry_run) : engine_(engine), writes_(!dry_run) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  if (writes_) check_may_write(engine.path(), engine.settings());

  // Several shards are written side by side, each with a lock of its own; a database of one shard,
  // or of shards that cannot be opened alone, as a whole.
  if (!writes_ || !open_shards()) {
    shards_.push_back(RunShard(1, {engine.path(), "", 0}));
    if (writes_) shards_.back().open(engine);
  }
  engine.refresh();  // now that the locks are taken
}

/// False if the database has one shard, if a stub lists what cannot be opened one by one, or if it
/// lists others than it did a moment ago. Then it is written as a whole.
bool ResumableRun::open_shards() {
  std::string why;
  const auto addresses = shard_addresses(engine_.path(), why);
  if (!addresses || addresses->size() < 2) return false;

  // A stub may have been changed between the two looks at it.
  const std::vector<std::string> known = shards_of(open_database(engine_.path()));
  if (known.size() != addresses->size()) return false;

  for (const ShardAddress& address : *addresses)
    shards_.push_back(RunShard(addresses->size(), address));
  for_each_shard([this](RunShard& shard) {
    shard.open(engine_);
  });

  // Now that they are locked they cannot be replaced: these are the shards whose documents are
  // known.
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (shards_[i].writer_->get_uuid() == known[i]) continue;
    shards_.clear();
    return false;
  }

  return true;
}

void ResumableRun::start(std::span<const Xapian::docid> docids, const std::string& key,
                         const nlohmann::json& identity, bool restart, RunReport& report) {
  for (RunShard& shard : shards_) {
    shard.key_ = key;
    shard.identity_ = identity;
  }

  // Xapian numbers the documents of several shards in turn.
  for (const Xapian::docid docid : docids)
    shards_[(docid - 1) % shards_.size()].docids_.push_back(docid);

  report.matched = docids.size();
  for (RunShard& shard : shards_) report.continued += shard.start(restart);
}

void ResumableRun::finish(const RunShard::Plan& plan, RunReport& report,
                          const std::function<void(const RunReport&)>& on_progress,
                          TagHistory* history) {
  const auto most = static_cast<std::size_t>(engine_.settings().index.batch);

  // Shards count by themselves, and their counts are moved into the report between transactions,
  // when nobody writes.
  const auto report_progress = [&] {
    for (RunShard& shard : shards_) report.add(std::exchange(shard.counts_, {}));
    if (on_progress) on_progress(report);
  };

  while (true) {
    const Clock::time_point began = Clock::now();
    for_each_shard([&](RunShard& shard) {
      shard.write_transaction(plan, most, history);
    });

    // The progress is forgotten with the last document, and before the lock goes.
    const bool is_done = std::ranges::all_of(shards_, &RunShard::is_done);
    if (writes_ && is_done) for_each_shard(&RunShard::forget_progress);
    if (writes_) std::ranges::for_each(shards_, &RunShard::close);

    const Clock::duration held = Clock::now() - began;
    report_progress();
    if (is_done) return;
    if (!writes_) continue;

    // Others may write now. All locks are taken again, or none: a shard alone could not go on.
    pause_for_writers(held);
    while (!std::ranges::all_of(shards_, &RunShard::open_again)) {
      for (RunShard& shard : shards_) shard.writer_->close();
      report_progress();
      pause_for_writers(kTransaction);
    }

    follow_others();
  }
}

void ResumableRun::follow_others() {
  // Somebody has written meanwhile: documents may be gone.
  if (std::ranges::none_of(shards_, &RunShard::has_moved)) return;
  engine_.refresh();
  const std::vector<Xapian::docid> all = engine_.matching("");
  for (RunShard& shard : shards_) shard.leave_out_gone(all);
}

void ResumableRun::for_each_shard(const std::function<void(RunShard&)>& body) {
  for_each_item(shards_.size(), static_cast<std::size_t>(engine_.settings().backend.threads),
                [&](std::size_t i) {
                  body(shards_[i]);
                });
}

}  // namespace kindred
