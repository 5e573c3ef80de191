#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/store/termlist_walk.h"

namespace kindred {

/// What is remembered of each shard of a database: of its only one, or of those that a stub lists,
/// in their order.
using DatabaseState = std::vector<TermlistState>;

/// What proves later that a saved state is of the same history: for each shard.
using DatabaseProof = std::vector<BlockChecksums>;

/// The docids of one shard of several, which take turns.
struct ShardDocids {
  std::size_t shard = 0;
  std::size_t shards = 1;

  /// That which the database gives to a document of the shard. It may be too large for a docid.
  std::uint64_t in_database(Xapian::docid own) const {
    return (std::uint64_t{own} - 1) * shards + shard + 1;
  }
  /// True if a document of the database is in this shard.
  bool has(Xapian::docid docid) const { return (docid - 1) % shards == shard; }
  /// The docid that the shard itself gives to it.
  Xapian::docid in_shard(Xapian::docid docid) const {
    return static_cast<Xapian::docid>((docid - 1) / shards + 1);
  }
};

/// The folders of the shards: the path itself, as for a ZIM file, or those that a stub lists.
/// Nothing, with `why`, for a stub that cannot be read or lists something else.
std::optional<std::vector<std::string>> shard_folders(const std::string& path, std::string& why);

/// The label that the documents of each shard have by it (labels.shards), "" for none; none at all
/// for a database that is no several folders.
std::vector<std::string> shard_labels(const std::string& path, const LabelSettings& settings);

/// Opens each shard of a stub of folders to read its lists, for a thread of its own or to read it
/// alone, in their order: its copy, as copied_if_busy() says. None for anything else.
/// @throws as open_database() and copied_if_busy().
std::vector<Xapian::Database> open_shards(const std::string& path, bool must_copy = false);

/// The state of each shard. Nothing, with `why`, as read_termlist_state() for any of them, or if a
/// stub cannot be read or lists what is not a database in a folder of its own.
std::optional<DatabaseState> read_database_state(const std::string& path, std::string& why);

/// The proof of a state, as read_checksums(). Nothing, with `why`, as that for any of the shards.
std::optional<DatabaseProof> read_proof(const std::string& path, const DatabaseState& state,
                                        std::string& why, std::size_t threads);

/// True if each shard is at the revision of its state; see still_at() for a TermlistState.
bool still_at(const std::string& path, const DatabaseState& state);

/// True if both have the same revision of each shard.
bool same_revisions(const DatabaseState& a, const DatabaseState& b);

}  // namespace kindred
