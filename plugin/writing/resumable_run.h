#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "plugin/history/tag_history.h"
#include "plugin/store/database.h"
#include "plugin/store/shard_addresses.h"
#include "plugin/writing/run_report.h"

namespace kindred {

/// The share of a run in one shard of the database, or in all of it. For one thread at a time.
class RunShard {
 public:
  /// Writes documents, except in a dry run; returns what became of them.
  using Write = std::function<RunReport()>;
  /// Begins to find out what becomes of some documents: at most 500, ascending, as the database
  /// of all shards has them. The rest may be done in another thread, while the documents before
  /// them are written.
  using Plan = std::function<std::future<Write>(RunShard& shard, std::span<const Xapian::docid>)>;

  Xapian::WritableDatabase* writer() { return writer_ ? &*writer_ : nullptr; }  ///< null: dry run
  /// The docid that a document has in writer().
  Xapian::docid own(Xapian::docid docid) const {
    return (docid - 1) / static_cast<Xapian::docid>(shards_) + 1;
  }
  HistoryBatch& changes() { return changes_; }  ///< of tags, in this transaction

 private:
  friend class ResumableRun;
  RunShard(std::size_t shards, ShardAddress address)
      : shards_(shards), address_(std::move(address)) {}

  void open(const Engine& engine);
  bool open_again();
  void close();
  /// True if others may have written since close().
  bool has_moved() const { return revision_ == 0 || revision_of(*writer_) != revision_; }
  std::size_t start(bool restart);
  bool is_done() const { return done_ == docids_.size(); }
  void plan_next(const Plan& plan, std::size_t room);
  void write_transaction(const Plan& plan, std::size_t most, TagHistory* history);
  void leave_out_gone(std::span<const Xapian::docid> all);
  Xapian::docid last_done() const;
  void keep_progress(Xapian::docid docid);
  void forget_progress();

  std::size_t shards_;
  ShardAddress address_;
  std::optional<Xapian::WritableDatabase> writer_;
  std::uint64_t revision_ = 0;  ///< at close()
  std::string key_;             ///< of metadata, where the progress is kept
  nlohmann::json identity_;     ///< a run continues an interrupted one if theirs are equal
  std::vector<Xapian::docid> docids_;
  std::size_t done_ = 0;     ///< of docids_
  std::size_t planned_ = 0;  ///< of docids_, after those: what next_ is about
  std::future<Write> next_;
  RunReport counts_;  ///< what is not reported yet
  HistoryBatch changes_;
};

/// A run that goes over documents of an engine's index and rewrites them, in transactions of
/// settings.index.batch documents, or of a second. If it ends early for any reason, what was
/// committed stays. The same run then continues from there, unless something else has written to
/// the database; in that case it starts over. Each shard that a stub lists is written by itself,
/// has transactions and a progress of its own, and starts over by itself. Of a remote one, no
/// revision is known, so it always starts over.
///
/// Between two transactions the write locks are released, so that others can write; the engine is
/// refreshed if somebody did.
class ResumableRun {
 public:
  /// Takes the write locks, unless nothing is to be written, and refreshes the engine.
  /// @throws Error kUnsupported if the engine has no path; kDatabase (also if another writer holds
  /// a lock).
  ResumableRun(Engine& engine, bool dry_run);

  /// To be called once. Sets the documents of the run, ascending, and where it keeps its progress:
  /// the key of metadata, and what tells this run from others. Those that an interrupted run has
  /// done are left out, unless it is to `restart`. Reports how many match, and how many are done.
  void start(std::span<const Xapian::docid> docids, const std::string& key,
             const nlohmann::json& identity, bool restart, RunReport& report);

  /// Handles the documents that are left, those of a shard in their order. What the plans refer to
  /// outlives the run, whose destructor waits for the last one. Several shards are handled at the
  /// same time, on up to backend.threads threads, and then `plan` is called by these. After a
  /// transaction of each shard, the calling thread adds to the report what became of the documents,
  /// and calls `on_progress`, without the locks; again while another writer holds them.
  /// `history`: gets what RunShard::changes() has after each transaction; null if that is nothing.
  void finish(const RunShard::Plan& plan, RunReport& report,
              const std::function<void(const RunReport&)>& on_progress,
              TagHistory* history = nullptr);

 private:
  bool open_shards();
  void follow_others();
  void for_each_shard(const std::function<void(RunShard&)>& body);

  Engine& engine_;
  const bool writes_;
  std::deque<RunShard> shards_;  ///< several if each is in its own database
};

}  // namespace kindred
