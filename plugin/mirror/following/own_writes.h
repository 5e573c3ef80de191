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
#include "plugin/answers/shard_revisions.h"
#include "plugin/mirror/following/written_document.h"

namespace kindred {

/// What writers of this process have committed to a database, so that a mirror of it can follow
/// without reading that back. It keeps 64 MB of documents at most, and forgets the oldest commits
/// first: a mirror that needs these follows by reading. Any number of threads may call it.
class OwnWrites {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// What a writer did to a shard, or to a database that is its only one, while it held the write
  /// lock: from the one revision to the other, nobody else has changed it.
  struct Commit {
    std::string uuid;  ///< of the shard
    std::uint64_t from = 0, to = 0;
    std::vector<std::string> prefixes;       ///< of the features that the documents list
    std::vector<WrittenDocument> documents;  ///< as left last; docids of the shard, ascending
    std::size_t bytes = 0;
  };
  using CommitPointer = std::shared_ptr<const Commit>;
  using Commits = std::vector<CommitPointer>;
  using Revisions = std::vector<ShardRevision>;  ///< of each shard of a database, in their order

  /// The commits that lead from revisions of the shards to others: for each shard its own, oldest
  /// first. Nothing if one of them is not known, or if these are not the same shards. Waits for
  /// commits that are being made, and forgets those that are of no use any more: of other shards,
  /// or leading to `from` at most.
  std::optional<std::vector<Commits>> between(const Revisions& from, const Revisions& to);

  /// Forgets the commits that lead to these revisions at most: a mirror has them.
  void forget(const Revisions& revisions);

  /// True if between() may know what came after these revisions.
  bool has_after(const Revisions& revisions) const;

  /// Runs commit(), which commits to the database and returns what that changed, if it is known.
  /// Nobody gets an answer from between() meanwhile that would lack it. Throws what it throws.
  void commit(const std::function<Commits()>& commit);

 private:
  std::optional<Commits> reach(const ShardRevision& from, const ShardRevision& to) const;
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
/// commit. Without OwnWrites, and where shards do not tell their revisions, it only commits. For
/// one thread. Where the notes of a commit would take more than there may be, none are handed over.
class WriteNotes {
 public:
  /// To be made when everything that was written before is committed. `path`: of the database.
  /// `writers`: how many share the bound of OwnWrites, each with a shard. All are borrowed; `own`
  /// may be null. @throws Xapian::Error; Error kDatabase.
  WriteNotes(Xapian::WritableDatabase& database, const std::string& path, const Settings& settings,
             OwnWrites* own, std::size_t writers = 1);

  /// A document was written, or deleted. @throws Xapian::Error.
  void wrote(Xapian::docid docid, const Xapian::Document& document);
  void deleted(Xapian::docid docid);

  /// Runs commit(), which is to commit everything that was written. If that fails, nothing is
  /// handed over any more. Throws what it throws.
  void commit(const std::function<void()>& commit);

 private:
  void note(WrittenDocument document);
  OwnWrites::Revisions revisions() const;
  void begin();
  OwnWrites::Commits end();

  Xapian::WritableDatabase& database_;
  const std::string& path_;
  const Settings& settings_;
  const std::size_t most_bytes_;
  OwnWrites* own_;             ///< null: nothing is noted
  OwnWrites::Revisions from_;  ///< empty if they are not known
  std::vector<std::string> prefixes_;
  std::map<Xapian::docid, WrittenDocument> documents_;
  std::size_t bytes_ = 0;
};

}  // namespace kindred
