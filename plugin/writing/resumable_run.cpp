#include "plugin/writing/resumable_run.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/database.h"
#include "plugin/writing/call_relay.h"

namespace kindred {
namespace {

constexpr std::size_t kAtOnce = 1000;

struct Step {
  RunPart part;
  bool commits = false;  ///< the last one of its transaction
};

/// Transactions of this many documents, each in parts of kAtOnce.
std::vector<Step> cut(RunPart all, std::size_t transaction) {
  std::vector<Step> steps;
  while (all.size() > 0) {
    const std::size_t end = all.begin + std::min(transaction, all.size());
    while (all.begin < end) {
      const RunPart part = {all.begin, std::min(all.begin + kAtOnce, end)};
      steps.push_back({part, part.end == end});
      all.begin = part.end;
    }
  }
  return steps;
}

}  // namespace

void RunShard::open(const ShardPlace& shard, Engine& engine) {
  writer_ = open_writable_shard(shard, engine.settings().write);
  check_values(*writer_, shard.name(), engine.settings());
}

/// Returns how many of the documents are done.
std::size_t RunShard::start(bool restart) {
  done_ = 0;
  has_written_ = false;
  if (!writer_ || restart) return 0;
  const Xapian::docid last = cursor_->read(*writer_);
  const auto next = std::partition_point(docids_.begin(), docids_.end(),
                                         [&](Xapian::docid docid) { return own(docid) <= last; });
  done_ = static_cast<std::size_t>(next - docids_.begin());
  return done_;
}

void RunShard::finish(const Write& write, std::size_t transaction,
                      const std::function<void()>& on_commit, const std::atomic<bool>& stop) {
  const std::vector<Step> steps = cut({done_, docids_.size()}, transaction);
  std::size_t written = 0;  // in the current transaction
  for (std::size_t i = 0; i < steps.size() && !stop; ++i) {
    const auto& [part, commits] = steps[i];
    const bool more = i + 1 < steps.size();
    if (writer_ && (i == 0 || steps[i - 1].commits)) writer_->begin_transaction();
    written += write(*this, part, more ? steps[i + 1].part : RunPart{});
    if (!commits) continue;
    if (writer_) commit(docids_[part.end - 1], more, std::exchange(written, 0) > 0);
    on_commit();
  }
}

/// Ends the transaction. `more`: there are documents after `last`. A shard of several that is done
/// keeps its place until all are.
void RunShard::commit(Xapian::docid last, bool more, bool wrote) {
  has_written_ |= wrote;
  if (!more && shards_ == 1)
    cursor_->clear(*writer_);
  else if (wrote || (!more && has_written_))
    cursor_->write(*writer_, own(last));
  writer_->commit_transaction();
}

void RunShard::forget_place() {
  if (!writer_) return;
  cursor_->clear(*writer_);
  writer_->commit();
}

ResumableRun::ResumableRun(Engine& engine, bool dry_run) : engine_(engine) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  if (!dry_run) check_may_write(engine.path(), engine.settings().index);
  one_by_one_ = !dry_run && open_shards();
  if (!one_by_one_) {
    shards_.push_back(RunShard(0, 1));
    if (!dry_run) shards_.back().open({engine.path(), "", 0}, engine);
  }
  engine.refresh();  // now that the locks are taken, nobody else can change the database
}

/// False if the database has one shard, if a stub lists what cannot be opened one by one, or if it
/// lists others than it did a moment ago. Then it is written as a whole.
bool ResumableRun::open_shards() {
  std::string why;
  const auto places = shard_places(engine_.path(), why);
  if (!places || places->size() < 2) return false;
  const std::vector<std::string> known = shards_of(open_database(engine_.path()));
  if (known.size() != places->size()) return false;
  for (std::size_t i = 0; i < places->size(); ++i) shards_.push_back(RunShard(i, places->size()));
  for_each_item(shards_.size(), threads(),
                [&](std::size_t i) { shards_[i].open((*places)[i], engine_); });
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (shards_[i].writer_->get_uuid() == known[i]) continue;
    shards_.clear();
    return false;
  }
  return true;
}

std::size_t ResumableRun::start(std::span<const Xapian::docid> docids, const std::string& key,
                                const nlohmann::json& identity, bool restart) {
  for (RunShard& shard : shards_) {
    shard.docids_.clear();
    shard.cursor_.emplace(key, identity);
  }
  for (const Xapian::docid docid : docids)
    shards_[(docid - 1) % shards_.size()].docids_.push_back(docid);
  std::size_t done = 0;
  for (RunShard& shard : shards_) done += shard.start(restart);
  return done;
}

void ResumableRun::finish(const RunShard::Write& write, const std::function<void()>& on_commit) {
  const std::function<void()> tell = on_commit ? on_commit : [] {};
  if (!one_by_one_) return shards_[0].finish(write, transaction(), tell, false);
  finish_together(write, tell);
  for_each_item(shards_.size(), threads(), [&](std::size_t i) { shards_[i].forget_place(); });
}

void ResumableRun::finish_together(const RunShard::Write& write,
                                   const std::function<void()>& on_commit) {
  CallRelay relay(on_commit);
  std::atomic<bool> stop{false};
  std::future<void> all = run_beside(threads(), [&] {
    try {
      write_shards(write, relay, stop);
    } catch (...) {
      relay.end();
      throw;
    }
    relay.end();
  });
  try {
    if (all.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) relay.serve();
  } catch (...) {
    stop = true;
    all.wait();
    throw;
  }
  all.get();
}

void ResumableRun::write_shards(const RunShard::Write& write, CallRelay& relay,
                                std::atomic<bool>& stop) {
  const auto handle = [&](std::size_t i) {
    try {
      shards_[i].finish(
          write, transaction(), [&] { relay.ask(); }, stop);
    } catch (...) {
      stop = true;
      throw;
    }
  };
  for_each_item(shards_.size(), threads(), handle);
}

std::size_t ResumableRun::threads() const {
  return static_cast<std::size_t>(engine_.settings().backend.threads);
}

std::size_t ResumableRun::transaction() const {
  return static_cast<std::size_t>(engine_.settings().index.batch);
}

void ResumableRun::change_each(const Change& change, Counts& counts,
                               const std::function<void()>& on_commit) {
  change_parts([&](std::span<const Xapian::docid>) { return change; }, counts, on_commit);
}

void ResumableRun::change_parts(const PlanChange& plan, Counts& counts,
                                const std::function<void()>& on_commit) {
  const auto change_part = [&](RunShard& shard, RunPart part, RunPart) {
    const Change change = plan(shard.docids(part));
    std::size_t written = 0;
    counts.examined += part.size();
    for (const Xapian::docid docid : shard.docids(part)) {
      const Xapian::docid own = shard.own(docid);
      try {
        Xapian::Document document = shard.writer()->get_document(own);
        if (!change(docid, document)) continue;
        shard.writer()->replace_document(own, document);
        ++written;
      } catch (const Xapian::DocNotFoundError&) {
        ++counts.gone;
      }
    }
    counts.written += written;
    return written;
  };
  finish(change_part, on_commit);
}

}  // namespace kindred
