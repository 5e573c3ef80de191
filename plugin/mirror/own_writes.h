#pragma once

#include <xapian.h>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/mirror/written_document.h"

namespace kindred {

/// What writers of this process have committed to a database, so that a mirror of it can follow
/// without reading that back. It keeps 64 MB of documents at most, and forgets the oldest commits
/// first: a mirror that needs these follows by reading. Any number of threads may call it.
class OwnWrites {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// What a writer did while it held the write lock: from the one revision to the other, nobody
  /// else has changed the database.
  struct Commit {
    std::string uuid;
    std::uint64_t from = 0, to = 0;
    std::vector<std::string> prefixes;       ///< of the features that the documents list
    std::vector<WrittenDocument> documents;  ///< as each was left last, docids ascending
    std::size_t bytes = 0;
  };
  using CommitPointer = std::shared_ptr<const Commit>;

  /// The commits that lead from a revision to another, oldest first; nothing if one of them is not
  /// known. Waits for a commit that is being made, and forgets those that are of no use
  /// any more: of another database, or leading to `from` at most.
  std::optional<std::vector<CommitPointer>> between(const std::string& uuid, std::uint64_t from,
                                                    std::uint64_t to);

  /// Forgets the commits that lead to a revision at most: a mirror has it.
  void forget(std::uint64_t revision);

  /// True if between() may know what came after a revision.
  bool has_after(std::uint64_t revision) const;

  /// Runs commit(), which commits to the database and returns what that changed, or null. Nobody
  /// gets an answer from between() meanwhile that would lack it. Throws what it throws.
  void commit(const std::function<CommitPointer()>& commit);

 private:
  void keep(CommitPointer commit);
  template <typename IsUseless>
  void erase(IsUseless&& is_useless);

  mutable std::mutex mutex_;
  std::condition_variable committed_;
  unsigned committing_ = 0;
  std::list<CommitPointer> commits_;  ///< oldest first
  std::size_t bytes_ = 0;
};

/// Notes what a writer does to a database whose write lock it holds, and hands it over with each
/// commit. Without OwnWrites, and for a database of several shards, it only commits. For one
/// thread. Where the notes of a commit would take more than OwnWrites keeps, none are handed over.
class WriteNotes {
 public:
  /// To be made when everything that was written before is committed. All are borrowed; `own` may
  /// be null. @throws Xapian::Error.
  WriteNotes(Xapian::WritableDatabase& database, const Settings& settings, OwnWrites* own);

  /// A document was written, or deleted. @throws Xapian::Error.
  void wrote(Xapian::docid docid, const Xapian::Document& document);
  void deleted(Xapian::docid docid);

  /// Runs commit(), which is to commit everything that was written. If that fails, nothing is
  /// handed over any more. Throws what it throws.
  void commit(const std::function<void()>& commit);

 private:
  void note(WrittenDocument document);
  void begin();
  OwnWrites::CommitPointer end();

  Xapian::WritableDatabase& database_;
  const Settings& settings_;
  OwnWrites* own_;  ///< null: nothing is noted
  std::uint64_t from_ = 0;
  std::vector<std::string> prefixes_;
  std::map<Xapian::docid, WrittenDocument> documents_;
  std::size_t bytes_ = 0;
};

}  // namespace kindred
