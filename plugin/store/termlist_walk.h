#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/regular_file.h"
#include "plugin/store/glass_file.h"

namespace kindred {

/// What is remembered of the termlist table of a glass database at one revision, so that a later
/// revision can be compared with it. The table has the terms of every document, and which value
/// slots it uses.
struct TermlistState {
  struct Leaf {
    std::uint32_t block = 0;
    TermlistBound begin;  ///< no item of the leaf is before it
  };

  /// A block above the leaves, with its part of `leaves`.
  struct Branch {
    std::uint32_t block = 0;
    std::uint32_t level = 0;
    std::uint32_t first_leaf = 0;
    std::uint32_t leaves = 0;
  };

  std::string uuid;  ///< as Xapian::Database::get_uuid() gives it
  std::uint64_t revision = 0;
  std::string header;  ///< stamp of the database's header
  /// The header that was current, open since then; null in a state that was saved. A commit puts
  /// another file in its place, and leaves it as it is. Whoever copies a backup over the files of a
  /// database writes into it.
  std::shared_ptr<const OpenFile> header_file;
  std::uint64_t device = 0;  ///< of the file of the table, as its inode
  std::uint64_t inode = 0;
  GlassRoot root;
  std::uint64_t documents = 0;   ///< in the database
  std::vector<Leaf> leaves;      ///< in the order of their keys
  std::vector<Branch> branches;  ///< each before the branches below it, in the order of their keys
};

/// True if both have the same revision.
bool same_revision(const TermlistState& a, const TermlistState& b);

/// The state of the current revision; of a ZIM file, which never changes but may be another one by
/// now, only which index it has. Only branch blocks are read. If a writer commits meanwhile,
/// reads again, a limited number of times. Nothing if the table cannot be read; `why` then gets a
/// clause for a log:
///
/// - there is no glass database in a folder of its own (a single file, a stub, a remote database),
/// - its format is not known, or it was made without termlists,
/// - it is damaged, or writers commit too fast.
std::optional<TermlistState> read_termlist_state(const std::string& path, std::string& why);

/// For each leaf of a state, then for each of its branches, the checksum of the block. A later
/// table whose blocks have these is of the same history: what the blocks do not say, the table does
/// not hold.
using BlockChecksums = std::vector<std::uint64_t>;

/// Reads all of the table. Works on up to `threads` threads. Nothing, with `why`, if the database
/// is not at this state any more.
std::optional<BlockChecksums> read_checksums(const std::string& path, const TermlistState& state,
                                             std::string& why, std::size_t threads);

/// From the first to the last docid, both included.
struct DocidRange {
  Xapian::docid first = 0;
  Xapian::docid last = 0;
};

/// What became of the documents of an older revision:
///
/// - Those in `present` may have changed, or are new. All of them exist.
/// - All others in `ranges` are gone, if they existed.
/// - All others have the terms, wdfs and used slots that they had.
struct TermlistChanges {
  TermlistState now;
  std::vector<Xapian::docid> present;  ///< ascending
  std::vector<DocidRange> ranges;      ///< ascending, disjoint
};

/// Compares the current revision with an older one, for which any number of writers may be the
/// reason. Reads the blocks that changed, their leaves on up to `threads` threads (gpu/workers.h),
/// and, if more than one revision lies between, the headers of their siblings. If a
/// writer commits meanwhile, reads again, a limited number of times.
///
/// `proof`: of the older state, which may be of another history if it was saved: a backup may have
/// been copied back since, and others may have written to that. Then all blocks that seem to be
/// those of the older state are read, too, unless the header is still the same file.
///
/// Nothing, with `why`, if what changed cannot be told, so that everything has to be read:
///
/// - as read_termlist_state();
/// - this is another database: it was compacted, overwritten, restored or replaced, as far as the
///   header that is held open tells, or the proof;
/// - a writer with Xapian::DB_DANGEROUS changed blocks in place. That is certain to be noticed only
///   while its commit is the latest, so compare the number of documents, too.
std::optional<TermlistChanges> walk_changes(const std::string& path, const TermlistState& before,
                                            std::string& why, std::size_t threads = 1,
                                            const BlockChecksums* proof = nullptr);

/// True if nothing has been committed or copied over since this state. A revision stays readable
/// until its successor is committed. So all that was read between taking the state and this call is
/// of that revision.
bool still_at(const std::string& path, const TermlistState& state);

}  // namespace kindred
