#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plugin/engine.h"
#include "plugin/mirror/own_writes.h"
#include "plugin/store/run_cursor.h"

namespace kindred {

/// Documents that a run handles together: the places [begin, end) in its list.
struct RunPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// A run that goes over documents of an engine's index and rewrites them, in transactions of
/// settings.index.batch documents. If it ends early for any reason, what was committed stays. The
/// same run then continues from there, unless something else has written to the database; in that
/// case it starts over.
class ResumableRun {
 public:
  /// Writes documents of `part`, except in a dry run; returns how many. `next` is the part after
  /// it, empty at the end. Both have at most 1,000 documents.
  using Write = std::function<std::size_t(RunPart part, RunPart next)>;

  /// Takes the write lock, unless nothing is to be written, and refreshes the engine: from then on
  /// nobody else can change the database.
  /// @throws Error kUnsupported if the engine has no path; kDatabase (also if another writer holds
  /// the lock).
  ResumableRun(Engine& engine, bool dry_run);

  Xapian::WritableDatabase* writer() { return writer_ ? &*writer_ : nullptr; }  ///< null: dry run

  /// To be told of each document that write() of finish() wrote. @throws Xapian::Error.
  void wrote(Xapian::docid docid, const Xapian::Document& document) {
    if (notes_) notes_->wrote(docid, document);
  }

  /// Sets the documents of the run, ascending, and where it keeps its place. Returns how many of
  /// them an interrupted run has done; these are left out. With `restart`, that is 0.
  std::size_t start(std::vector<Xapian::docid> docids, RunCursor cursor, bool restart);

  std::span<const Xapian::docid> docids(RunPart part) const {
    return std::span(docids_).subspan(part.begin, part.size());
  }

  Xapian::docid docid(std::size_t place) const { return docids_[place]; }

  /// Handles the documents that are left, in their order. `on_commit` is called after each
  /// transaction, and may be empty.
  void finish(const Write& write, const std::function<void()>& on_commit);

  /// What change_each() did.
  struct Counts {
    std::uint64_t& examined;
    std::uint64_t& written;
    std::uint64_t& gone;  ///< deleted since the snapshot was made
  };
  /// Changes the value or the terms of a document, the one at this place of the list. False if it
  /// is to stay as it is.
  using Change = std::function<bool(std::size_t place, Xapian::Document& document)>;
  /// As finish(), for a run that is not dry and changes one document after the other. Xapian writes
  /// only what changed, since the document is the one that was read last.
  void change_each(const Change& change, Counts counts, const std::function<void()>& on_commit);

 private:
  void commit(Xapian::docid last, bool more, bool wrote);

  Engine& engine_;
  std::optional<Xapian::WritableDatabase> writer_;
  std::optional<WriteNotes> notes_;
  std::optional<RunCursor> cursor_;
  std::vector<Xapian::docid> docids_;
  std::size_t done_ = 0;  ///< of docids_
};

}  // namespace kindred
