#pragma once

#include <xapian.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "plugin/store/stub.h"
#include "plugin/writing/run_cursor.h"

namespace kindred {

class CallRelay;

/// Documents that a run handles together: the places [begin, end) in the list of a shard.
struct RunPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// The share of a run in one shard of the database, or in all of it. For one thread at a time.
class RunShard {
 public:
  /// Writes documents of `part`, except in a dry run; returns how many. `next` is the part after
  /// it, empty at the end. Both have at most 1,000 documents.
  using Write = std::function<std::size_t(RunShard& shard, RunPart part, RunPart next)>;

  std::size_t place() const { return place_; }                                  ///< in the run
  Xapian::WritableDatabase* writer() { return writer_ ? &*writer_ : nullptr; }  ///< null: dry run

  /// Ascending, as the database of all shards has them.
  std::span<const Xapian::docid> docids(RunPart part) const {
    return std::span(docids_).subspan(part.begin, part.size());
  }
  /// The docid that a document has in writer().
  Xapian::docid own(Xapian::docid docid) const {
    return (docid - 1) / static_cast<Xapian::docid>(shards_) + 1;
  }

 private:
  friend class ResumableRun;
  RunShard(std::size_t place, std::size_t shards) : place_(place), shards_(shards) {}

  void open(const ShardPlace& shard, Engine& engine);
  std::size_t start(bool restart);
  void finish(const Write& write, std::size_t transaction, const std::function<void()>& on_commit,
              const std::atomic<bool>& stop);
  void commit(Xapian::docid last, bool more, bool wrote);
  void forget_place();

  std::size_t place_, shards_;
  std::optional<Xapian::WritableDatabase> writer_;
  std::optional<RunCursor> cursor_;
  std::vector<Xapian::docid> docids_;
  std::size_t done_ = 0;  ///< of docids_
  bool has_written_ = false;
};

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

  /// In a dry run there is one, whatever the database has.
  std::deque<RunShard>& shards() { return shards_; }

  /// Sets the documents of the run, ascending, and where it keeps its place: the key of metadata,
  /// and what tells this run from others (RunCursor). Returns how many of the documents an
  /// interrupted run has done; these are left out. With `restart`, that is 0.
  std::size_t start(std::span<const Xapian::docid> docids, const std::string& key,
                    const nlohmann::json& identity, bool restart);

  /// Handles the documents that are left, those of a shard in their order. Several shards are
  /// handled at the same time, on up to backend.threads threads, and then `write` is called by
  /// these. `on_commit` is called by the calling thread after a transaction, or several, and may be
  /// empty. The first exception stops all shards after what they are doing, and is thrown.
  void finish(const RunShard::Write& write, const std::function<void()>& on_commit);

  /// What change_each() did.
  struct Counts {
    std::atomic<std::uint64_t> examined{0};
    std::atomic<std::uint64_t> written{0};
    std::atomic<std::uint64_t> gone{0};  ///< deleted since the snapshot was made

    template <typename Report>
    void write_to(Report& report) const {
      report.examined = examined;
      report.written = written;
      report.gone = gone;
    }
  };
  /// Changes the value or the terms of a document. False if it is to stay as it is.
  using Change = std::function<bool(Xapian::docid docid, Xapian::Document& document)>;
  /// As finish(), for a run that is not dry and changes one document after the other. Xapian writes
  /// only what changed, since the document is the one that was read last.
  void change_each(const Change& change, Counts& counts, const std::function<void()>& on_commit);

  /// The same, where what is to change is found for several documents together: at most 1,000,
  /// ascending, which the Change that it returns is then called with in this order.
  using PlanChange = std::function<Change(std::span<const Xapian::docid> docids)>;
  void change_parts(const PlanChange& plan, Counts& counts, const std::function<void()>& on_commit);

 private:
  bool open_shards();
  void finish_together(const RunShard::Write& write, const std::function<void()>& on_commit);
  void write_shards(const RunShard::Write& write, CallRelay& relay, std::atomic<bool>& stop);
  std::size_t threads() const;
  std::size_t transaction() const;

  Engine& engine_;
  std::deque<RunShard> shards_;
  bool one_by_one_ = false;  ///< there are several, each in its own database
};

}  // namespace kindred
