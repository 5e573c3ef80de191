#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/mirror/reading/followed_mirror.h"
#include "plugin/store/database_walk.h"
#include "plugin/store/restore_watch.h"

namespace kindred {

/// Brings a mirror up to date with what any writer wrote, at a cost that follows the number of
/// changed documents: it finds them in the tree of the database's term lists
/// (plugin/store/termlist_walk.h) and reads only them. Each shard is read and proven by itself, at
/// a revision of its own, so a writer has to leave only this one alone meanwhile, and only for as
/// long as it takes. What cannot be proven is not claimed. For one thread.
class MirrorFollower {
 public:
  /// What became of an attempt to follow.
  struct Outcome {
    std::optional<Mirror> mirror;  ///< gives the answers of one that is made from nothing
    bool unchanged = false;        ///< the known mirror is that mirror; then there is no other
    std::string why_not;           ///< one clause, if there is neither: make one from nothing
    std::size_t documents_read = 0;
  };

  /// `settings` are borrowed.
  MirrorFollower(std::string path, const Settings& settings);

  /// Looks at the database as it is now. To be called before a mirror is made from nothing, so
  /// that no change after that is missed. False if changes after that cannot be followed.
  bool begin();

  /// Goes on from a mirror that was saved with this state. The next follow() holds the database
  /// against the proof.
  void resume(DatabaseState state, DatabaseProof proof);

  /// Remembers what begin() or follow() saw last: the mirror that was made then becomes the known
  /// one. Without this call, the one before stays the known one, whatever became of the other.
  void accept();

  /// What is remembered for the known mirror; nothing if the database cannot be followed.
  const std::optional<DatabaseState>& state() const { return known_.state; }
  const std::string& why_no_state() const { return known_.why_no_state; }

  /// The mirror of the database as it is now. `known` is the mirror of the last accept() or
  /// resume().
  Outcome follow(const Mirror& known);

  /// The mirror of an open database, of any kind, by the documents that somebody else says have
  /// changed since `known` was made. The result is held against the database's counts, but a
  /// document that nobody named may be missed.
  Outcome follow_named(const Mirror& known, const Xapian::Database& database,
                       std::vector<Xapian::docid> documents) const;

 private:
  /// What is remembered of a database at the revision of a mirror, or of an earlier one.
  struct Memory {
    std::optional<DatabaseState> state{};
    std::string why_no_state{};
    std::optional<DatabaseProof> proof{};   ///< of a state that was saved
    std::shared_ptr<RestoreWatch> watch{};  ///< since its first state; or null
    std::vector<std::string> terms{};       ///< whose frequencies are held against the mirror
    std::uint32_t documents = 0;            ///< of the mirror that these were chosen by
    /// Of each shard, with the frequencies of the terms; nothing for one that is not known yet.
    std::vector<std::optional<DatabaseCounts>> counts{};
  };

  /// One of the shards, and what is known of it.
  struct Shard {
    std::string folder;
    ShardDocids docids;
    const TermlistState& before;
    const BlockChecksums* proof;  ///< or null
  };

  /// What was read of a shard at one revision.
  struct ShardLook {
    TermlistState now;
    DatabaseCounts counts;
    std::vector<DocumentChanges::Fetched> documents;  ///< that may have changed
  };

  void choose_terms(const Mirror& known);
  Outcome follow_shards(const Mirror& known);
  Outcome outcome_of(const Mirror& known, const Memory& now,
                     std::vector<DocumentChanges::Fetched> changed) const;
  ShardLook look_at(const Mirror& known, const Shard& shard, std::size_t documents_before) const;
  ShardLook read_shard(const Mirror& known, const Shard& shard, const TermlistChanges& changes,
                       std::size_t documents_before) const;
  Outcome next_mirror(const Mirror& known, const DocumentChanges& read, DatabaseRevision revision,
                      const DatabaseCounts& counts, std::span<const std::string> terms) const;

  const std::string path_;
  const Settings& settings_;
  Memory known_{.why_no_state = "it was opened by the caller"};
  std::optional<Memory> seen_;  ///< by begin() or follow(), and not accepted
};

}  // namespace kindred
