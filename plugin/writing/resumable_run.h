#pragma once

#include <xapian.h>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "plugin/store/database.h"
#include "plugin/writing/tagging.h"

namespace kindred {

/// The share of a run in one shard of the database, or in all of it. For one thread at a time.
class RunShard {
 public:
  /// Writes documents, except in a dry run; returns how many.
  using Write = std::function<std::size_t()>;
  /// Begins to find out what becomes of some documents: at most 1,000, ascending, as the database
  /// of all shards has them. The rest may be done in another thread, while the documents before
  /// them are written.
  using Plan = std::function<std::future<Write>(RunShard& shard, std::span<const Xapian::docid>)>;

  Xapian::WritableDatabase* writer() { return writer_ ? &*writer_ : nullptr; }  ///< null: dry run
  /// The docid that a document has in writer().
  Xapian::docid own(Xapian::docid docid) const {
    return (docid - 1) / static_cast<Xapian::docid>(shards_) + 1;
  }

 private:
  friend class ResumableRun;
  explicit RunShard(std::size_t shards) : shards_(shards) {}

  void open(const ShardPlace& shard, Engine& engine);
  std::size_t start(bool restart);
  void finish(const Plan& plan, std::size_t transaction, const std::function<void()>& on_commit,
              const std::atomic<bool>& stop);
  void commit(Xapian::docid last, bool more, bool wrote);
  Xapian::docid place() const;
  void keep_place(Xapian::docid docid);
  void clear_place();

  std::size_t shards_;
  std::optional<Xapian::WritableDatabase> writer_;
  std::string key_;          ///< of metadata, where the place is kept
  nlohmann::json identity_;  ///< a run continues an interrupted one if theirs are equal
  std::vector<Xapian::docid> docids_;
  std::size_t done_ = 0;  ///< of docids_, by a run before
  bool has_written_ = false;
};

/// Leaves a part of the docids, which ascend. Returns RunPart::after of the next one; 0: there is
/// none.
Xapian::docid take_part(const RunPart& part, std::vector<Xapian::docid>& docids);

/// A run that goes over documents of an engine's index and rewrites them, in transactions of
/// settings.index.batch documents. If it ends early for any reason, what was committed stays. The
/// same run then continues from there, unless something else has written to the database; in that
/// case it starts over. Each shard that a stub lists is written by itself, has transactions and a
/// place of its own, and starts over by itself. Of a remote one, no revision is known, so it always
/// starts over.
class ResumableRun {
 public:
  /// Takes the write locks, unless nothing is to be written, and refreshes the engine: from then on
  /// nobody else can change the database.
  /// @throws Error kUnsupported if the engine has no path; kDatabase (also if another writer holds
  /// a lock).
  ResumableRun(Engine& engine, bool dry_run);

  /// Sets the documents of the run, ascending, and where it keeps its place: the key of metadata,
  /// and what tells this run from others. Returns how many of the documents an
  /// interrupted run has done; these are left out. With `restart`, that is 0.
  std::size_t start(std::span<const Xapian::docid> docids, const std::string& key,
                    const nlohmann::json& identity, bool restart);

  /// Handles the documents that are left, those of a shard in their order. Several shards are
  /// handled at the same time, on up to backend.threads threads, and then `plan` is called by
  /// these. `on_commit` is called by the calling thread after a transaction, or several. The first
  /// exception stops all shards after what they are doing, and is thrown.
  void finish(const RunShard::Plan& plan, const std::function<void()>& on_commit);

 private:
  bool open_shards();
  std::size_t threads() const;
  std::size_t transaction() const;

  Engine& engine_;
  std::deque<RunShard> shards_;
  bool one_by_one_ = false;  ///< there are several, each in its own database
};

}  // namespace kindred
