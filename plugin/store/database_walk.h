#pragma once

#include <xapian.h>
#include <optional>
#include <string>
#include <vector>

#include "plugin/store/termlist_walk.h"

namespace kindred {

/// What is remembered of each shard of a database: of its only one, or of those that a stub lists,
/// in their order.
using DatabaseState = std::vector<TermlistState>;

/// What proves later that a saved state is of the same history: for each shard.
using DatabaseProof = std::vector<BlockChecksums>;

/// What became of the documents of an older state, as TermlistChanges, with the docids that the
/// database gives them: document d of shard s of n is (d - 1) * n + s + 1.
struct DatabaseChanges {
  /// Those docids from the first to the last that lie in one shard.
  struct ShardRange {
    DocidRange docids;
    Xapian::docid step = 1;  ///< the number of shards: `first`, `first` + step, ...

    bool has(Xapian::docid docid) const {
      return docid >= docids.first && docid <= docids.last && (docid - docids.first) % step == 0;
    }
  };

  DatabaseState now;
  std::vector<Xapian::docid> present;  ///< ascending
  std::vector<ShardRange> ranges;
};

/// The folders of the shards: the path itself, or those that a stub lists. Nothing, with `why`, for
/// a stub that cannot be read or lists something else.
std::optional<std::vector<std::string>> shard_folders(const std::string& path, std::string& why);

/// Opens each shard of a stub of folders, for a thread of its own or to read it alone, in their
/// order. None for anything else. @throws as open_database().
std::vector<Xapian::Database> open_shards(const std::string& path);

/// The state of each shard; of a ZIM file, only which index it has. Nothing, with `why`, as
/// read_termlist_state() for any of them, or if a stub cannot be read or lists what is not a
/// database in a folder of its own.
std::optional<DatabaseState> read_database_state(const std::string& path, std::string& why);

/// The proof of a state, as read_checksums(). Nothing, with `why`, as that for any of the shards.
std::optional<DatabaseProof> read_proof(const std::string& path, const DatabaseState& state,
                                        std::string& why, std::size_t threads);

/// Compares each shard with an older state, as walk_changes() does with its part of the proof.
/// Nothing, with `why`, as that for any of them, or if there are other shards by now.
std::optional<DatabaseChanges> walk_database(const std::string& path, const DatabaseState& before,
                                             std::string& why, std::size_t threads,
                                             const DatabaseProof* proof = nullptr);

/// True if each shard is at the revision of its state; see still_at() for a TermlistState.
bool still_at(const std::string& path, const DatabaseState& state);

/// True if both have the same revision of each shard.
bool same_revisions(const DatabaseState& a, const DatabaseState& b);

}  // namespace kindred
