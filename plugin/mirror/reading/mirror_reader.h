#pragma once

#include <xapian.h>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/mirror/mirror.h"
#include "plugin/progress.h"

namespace kindred {

/// True if a database has stems: terms under Z. Where hardly a document has one, but ten times as
/// many words without a prefix, they are words that begin so. @throws Xapian::Error.
bool has_stems(const Xapian::Database& database);

/// The prefixes of a database's features, sorted: those of the settings or, if they name none, Z
/// where there are stems, else "".
std::vector<std::string> feature_prefixes(bool stems, const MirrorSettings& settings);

/// The databases that one of several shards was put together from, in their order, each of which a
/// thread of its own may read. Borrowed.
struct ShardsToRead {
  std::span<const Xapian::Database> each{};  ///< none: the whole is read by one thread
  std::vector<std::string> labels{};         ///< of each (labels.shards), or none
  std::size_t threads = 1;                   ///< at most this many at a time; 0 = one per core
};

/// Reads a database in one pass over its posting lists.
/// @throws Error kCorrupt if lists do not ascend, or have documents that the database does not
/// have; kInvalidArgument if it has 2^32 - 1 documents or more; whatever Xapian throws. Each of
/// these may be caused by a writer that commits meanwhile: DatabaseReader finds out.
/// `on_reading` may be empty. It costs a pass over the terms, and is called for large databases
/// only, by the calling thread. With `shards`, features are read from all shards at the same time;
/// the mirror is the same.
Mirror read_mirror(const Xapian::Database& database, const Settings& settings,
                   const ReadingProgress& on_reading = {}, const ShardsToRead& shards = {});

}  // namespace kindred
