#include "plugin/writing/resumable_run.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

using nlohmann::json;

constexpr std::size_t kAtOnce = 1000;  // documents that are planned together

}  // namespace

/// Where an interrupted run stopped: the last docid that was done; 0 if there is no run to
/// continue. It is written in the transactions of the run, and valid only if nothing else has
/// written to the database meanwhile.
Xapian::docid RunShard::place() const {
  const json stored = json::parse(writer_->get_metadata(key_), nullptr, false);
  if (!stored.is_object() || stored.value("run", json()) != identity_) return 0;
  const std::uint64_t revision = revision_of(*writer_);
  if (revision == 0 || stored.value("revision", json()) != revision) return 0;
  const json docid = stored.value("docid", json());
  return docid.is_number_unsigned() ? docid.get<Xapian::docid>() : 0;
}

/// For the revision that the transaction under way will make.
void RunShard::keep_place(Xapian::docid docid) {
  const json stored = {
      {"run", identity_}, {"revision", revision_of(*writer_) + 1}, {"docid", docid}};
  writer_->set_metadata(key_, stored.dump(-1, ' ', false, json::error_handler_t::replace));
}

void RunShard::clear_place() {
  if (!writer_->get_metadata(key_).empty()) writer_->set_metadata(key_, "");
}

void RunShard::open(const ShardPlace& shard, Engine& engine) {
  writer_ = open_writable_shard(shard, engine.settings().write);
  check_values(*writer_, shard.name(), engine.settings());
}

/// Returns how many of the documents are done.
std::size_t RunShard::start(bool restart) {
  done_ = 0;
  has_written_ = false;
  if (!writer_ || restart) return 0;
  const Xapian::docid last = place();
  const auto next = std::partition_point(docids_.begin(), docids_.end(),
                                         [&](Xapian::docid docid) { return own(docid) <= last; });
  done_ = static_cast<std::size_t>(next - docids_.begin());
  return done_;
}

/// Each part is planned while the one before is written.
void RunShard::finish(const Plan& plan, std::size_t transaction,
                      const std::function<void()>& on_commit, const std::atomic<bool>& stop) {
  const auto to_commit = [&](std::size_t begin) {
    return transaction - (begin - done_) % transaction;
  };
  const auto end_of = [&](std::size_t begin) {
    return std::min(begin + std::min(kAtOnce, to_commit(begin)), docids_.size());
  };
  const auto planned = [&](std::size_t begin) {
    const auto part = std::span(docids_).subspan(begin, end_of(begin) - begin);
    return part.empty() ? std::future<Write>() : plan(*this, part);
  };
  std::size_t written = 0;  // in the current transaction
  std::future<Write> next = planned(done_);
  for (std::size_t begin = done_; begin < docids_.size() && !stop; begin = end_of(begin)) {
    const Write write = next.get();
    const std::size_t end = end_of(begin);
    next = planned(end);
    if (writer_ && to_commit(begin) == transaction) writer_->begin_transaction();
    written += write();
    const bool more = end < docids_.size();
    if (more && to_commit(end) < transaction) continue;
    if (writer_) commit(docids_[end - 1], more, std::exchange(written, 0) > 0);
    on_commit();
  }
}

/// Ends the transaction. `more`: there are documents after `last`. A shard of several that is done
/// keeps its place until all are.
void RunShard::commit(Xapian::docid last, bool more, bool wrote) {
  has_written_ |= wrote;
  if (!more && shards_ == 1)
    clear_place();
  else if (wrote || (!more && has_written_))
    keep_place(own(last));
  writer_->commit_transaction();
}

Xapian::docid take_part(const RunPart& part, std::vector<Xapian::docid>& docids) {
  docids.erase(docids.begin(), std::ranges::upper_bound(docids, part.after));
  const bool is_last = docids.size() <= part.limit;
  docids.resize(std::min(docids.size(), part.limit));
  return is_last ? 0 : docids.back();
}

ResumableRun::ResumableRun(Engine& engine, bool dry_run) : engine_(engine) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  if (!dry_run) check_may_write(engine.path(), engine.settings().index);
  one_by_one_ = !dry_run && open_shards();
  if (!one_by_one_) {
    shards_.push_back(RunShard(1));
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
  for (std::size_t i = 0; i < places->size(); ++i) shards_.push_back(RunShard(places->size()));
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
    shard.key_ = key;
    shard.identity_ = identity;
  }
  for (const Xapian::docid docid : docids)
    shards_[(docid - 1) % shards_.size()].docids_.push_back(docid);
  std::size_t done = 0;
  for (RunShard& shard : shards_) done += shard.start(restart);
  return done;
}

void ResumableRun::finish(const RunShard::Plan& plan, const std::function<void()>& on_commit) {
  if (!one_by_one_) return shards_[0].finish(plan, transaction(), on_commit, false);
  enum { kNothing, kCommit, kEnd };
  std::atomic<int> news{kNothing};  // for the calling thread
  std::atomic<bool> stop{false};
  const auto tell = [&](int what) {
    news = what;
    news.notify_one();
  };
  const auto tell_commit = [&, caller = std::this_thread::get_id()] {
    std::this_thread::get_id() == caller ? on_commit() : tell(kCommit);
  };
  std::future<void> all = run_beside(threads(), [&] {
    const auto handle = [&](std::size_t i) {
      try {
        shards_[i].finish(plan, transaction(), tell_commit, stop);
      } catch (...) {
        stop = true;
        throw;
      }
    };
    try {
      for_each_item(shards_.size(), threads(), handle);
    } catch (...) {
      tell(kEnd);
      throw;
    }
    tell(kEnd);
  });
  try {
    if (all.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) {
      for (news.wait(kNothing); news.exchange(kNothing) != kEnd; news.wait(kNothing)) on_commit();
    }
  } catch (...) {
    stop = true;
    all.wait();
    throw;
  }
  all.get();
  for_each_item(shards_.size(), threads(), [&](std::size_t i) {
    shards_[i].clear_place();
    shards_[i].writer_->commit();
  });
}

std::size_t ResumableRun::threads() const {
  return static_cast<std::size_t>(engine_.settings().backend.threads);
}

std::size_t ResumableRun::transaction() const {
  return static_cast<std::size_t>(engine_.settings().index.batch);
}

}  // namespace kindred
