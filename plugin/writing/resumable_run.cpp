#include "plugin/writing/resumable_run.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/ranks/agreement.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"
#include "plugin/store/database.h"
#include "plugin/store/value_check.h"
#include "plugin/writing/call_relay.h"

namespace kindred {
namespace {

constexpr std::size_t kAtOnce = 1000;

// Parts of the step in which ranks divide the shards: what a rank has done, which is empty at its
// end; whether it is to go on; and what rank 0 never sends, to ranks that wait to be ended.
constexpr std::uint64_t kNews = 0, kGoOn = 1, kNothing = 2;
const std::string kYes = "y";

/// Thrown where rank 0 has failed.
struct StoppedByFirst {};

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
  writer_ = open_writable_shard(shard);
  check_values(*writer_, shard.name(), engine.settings());
  notes_.emplace(*writer_, engine.path(), engine.settings(), &engine.own_writes(), shards_);
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
  notes_->commit([this] { writer_->commit_transaction(); });
}

void RunShard::forget_place() {
  if (!writer_) return;
  cursor_->clear(*writer_);
  notes_->commit([this] { writer_->commit(); });
}

std::string ResumableRun::Counts::take() {
  std::string bytes;
  const std::uint64_t numbers[] = {examined.exchange(0), written.exchange(0), gone.exchange(0)};
  pack(std::span<const std::uint64_t>(numbers), bytes);
  return bytes;
}

void ResumableRun::Counts::add(std::string_view bytes) {
  const auto numbers = unpack<std::uint64_t>(bytes);
  examined += numbers.at(0);
  written += numbers.at(1);
  gone += numbers.at(2);
}

ResumableRun::ResumableRun(Engine& engine, bool dry_run, Ranks* ranks)
    : engine_(engine), ranks_(ranks != nullptr ? *ranks : alone_) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  if (!dry_run) check_may_write(engine.path(), engine.settings().index);
  bool one_by_one = !dry_run && ranks_.rank() == 0 && has_shards();
  if (ranks_.size() > 1) one_by_one = broadcast(ranks_, one_by_one ? kYes : "") == kYes;
  is_divided_ = one_by_one && ranks_.size() > 1;
  if (is_idle()) return;
  if (!one_by_one || !open_shards()) {
    shards_.push_back(RunShard(0, 1));
    if (!dry_run) shards_.back().open({engine.path(), "", 0}, engine);
  }
  if (is_divided_) wait_for_all(ranks_);
  if (is_divided_) check_locks();
  engine.refresh();  // now that the locks are taken, nobody else can change the database
  if (is_divided_) engine.check_agreement(ranks_);
}

/// False if the database has one shard, or a stub lists what cannot be opened one by one. Then it
/// is written as a whole.
bool ResumableRun::has_shards() {
  std::string why;
  auto found = shard_places(engine_.path(), why);
  if (!found || found->size() < 2) return false;
  return shards_of(open_database(engine_.path())).size() == found->size();
}

/// Opens the shards that this rank writes. False if one process finds others than it has just read.
bool ResumableRun::open_shards() {
  std::string why;
  places_ = shard_places(engine_.path(), why).value_or(std::vector<ShardPlace>());
  const std::vector<std::string> known = shards_of(open_database(engine_.path()));
  for (std::size_t i = ranks_.rank(); i < places_.size(); i += ranks_.size())
    shards_.push_back(RunShard(shards_.size(), places_.size()));
  for_each_item(shards_.size(), threads(),
                [&](std::size_t i) { shards_[i].open(places_[global(i)], engine_); });
  bool same = known.size() == places_.size();
  for (std::size_t i = 0; same && i < shards_.size(); ++i)
    same = shards_[i].writer_->get_uuid() == known[global(i)];
  if (!same && is_divided_)
    throw Error(Errc::kDatabase, engine_.path() + ": the stub changes; start again");
  if (!same) {
    shards_.clear();
    places_.clear();
  }
  return same;
}

/// A rank that sees copies of the shards would write what nobody reads.
void ResumableRun::check_locks() const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (may_be_locked(places_[i])) continue;
    throw Error(Errc::kDatabase,
                places_[i].name() + ": expected the folder that " + ranks_.name(i % ranks_.size()) +
                    " writes, but here nobody writes to it; ranks that write shards need one "
                    "index, not copies of it");
  }
}

std::size_t ResumableRun::start(std::span<const Xapian::docid> docids, const std::string& key,
                                const nlohmann::json& identity, bool restart) {
  for (RunShard& shard : shards_) {
    shard.docids_.clear();
    shard.cursor_.emplace(key, identity);
  }
  const std::size_t all = is_divided_ ? places_.size() : shards_.size();
  for (const Xapian::docid docid : docids) {
    const std::size_t shard = (docid - 1) % all;
    if (shard % ranks_.size() == ranks_.rank() || !is_divided_)
      shards_[is_divided_ ? shard / ranks_.size() : shard].docids_.push_back(docid);
  }
  std::int64_t done = 0;
  for (RunShard& shard : shards_) done += static_cast<std::int64_t>(shard.start(restart));
  if (is_divided_) {
    check_agreement(ranks_, {{"what is asked, and the files beside the index", identity.dump()}});
    add_up(ranks_, std::span(&done, 1));
  }
  return static_cast<std::size_t>(done);
}

void ResumableRun::finish(const RunShard::Write& write, const std::function<void()>& on_commit,
                          const RunNews& news) {
  const std::function<void()> tell = on_commit ? on_commit : [] {};
  if (places_.empty()) return shards_[0].finish(write, transaction(), tell, false);
  if (is_divided_) step_ = ranks_.next_step();
  if (ranks_.rank() == 0)
    finish_together(write, tell, news);
  else
    finish_share(write, news);
  if (is_divided_) wait_for_all(ranks_);
  for_each_item(shards_.size(), threads(), [&](std::size_t i) { shards_[i].forget_place(); });
  if (is_divided_) wait_for_all(ranks_);
}

/// What a rank other than 0 does: after each transaction it asks whether to go on.
void ResumableRun::finish_share(const RunShard::Write& write, const RunNews& news) {
  const auto ask = [&] {
    ranks_.send(0, channel_of(step_, kNews), kYes + news.take());
    if (ranks_.receive(channel_of(step_, kGoOn)).bytes != kYes) throw StoppedByFirst();
  };
  bool is_stopped = false;
  try {
    finish_together(write, ask, news);
  } catch (const StoppedByFirst&) {
    is_stopped = true;
  }
  ranks_.send(0, channel_of(step_, kNews), "");
  if (is_stopped) ranks_.receive(channel_of(step_, kNothing));  // rank 0 says why, and ends all
}

void ResumableRun::finish_together(const RunShard::Write& write,
                                   const std::function<void()>& on_commit, const RunNews& news) {
  CallRelay relay(on_commit);
  std::atomic<bool> stop{false};
  const bool hears = is_divided_ && ranks_.rank() == 0;
  std::future<void> all = run_beside(is_divided_ ? 2 : threads(), [&] {
    try {
      std::future<void> hearing;
      if (hears) hearing = run_beside(2, [&] { hear_others(relay, stop, news); });
      write_shards(write, relay, stop);
      if (hears) hearing.get();
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

/// Hears what other ranks have done until each of them has ended, and stops them if rank 0 fails.
void ResumableRun::hear_others(CallRelay& relay, std::atomic<bool>& stop, const RunNews& news) {
  try {
    for (std::size_t left = ranks_.size() - 1; left > 0;) {
      const RankMessage message = ranks_.receive(channel_of(step_, kNews));
      if (message.bytes.empty()) {
        --left;
        continue;
      }
      news.add(std::string_view(message.bytes).substr(kYes.size()));
      relay.ask();
      ranks_.send(message.from, channel_of(step_, kGoOn), stop ? "" : kYes);
    }
  } catch (...) {
    stop = true;
    throw;
  }
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
        shard.wrote(own, document);
        ++written;
      } catch (const Xapian::DocNotFoundError&) {
        ++counts.gone;
      }
    }
    counts.written += written;
    return written;
  };
  finish(change_part, on_commit,
         {[&] { return counts.take(); }, [&](std::string_view bytes) { counts.add(bytes); }});
}

}  // namespace kindred
