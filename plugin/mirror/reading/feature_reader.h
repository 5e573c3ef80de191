#pragma once

#include <xapian.h>
#include <cstddef>
#include <span>

#include "plugin/answers.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

class RowIndex;

/// The databases that one of several shards was put together from, in their order, each of which a
/// thread of its own may read. Borrowed.
struct ShardsToRead {
  std::span<const Xapian::Database> each{};  ///< fewer than two: the whole is read by one thread
  std::size_t threads = 1;                   ///< at most this many at a time; 0 = one per core
};

/// What features are read from. All is borrowed.
struct FeatureSource {
  const Xapian::Database& database;
  const ShardsToRead& shards;
  const RowIndex& rows;
  const ReadingProgress& on_reading;  ///< may be empty; called by the calling thread
};

/// Reads the feature terms under mirror.prefixes and their documents: fills documents.counts, and
/// vocabulary and df of the mirror, and clears `agrees` if lists are not as long as the database
/// says.
/// @throws Error kCorrupt; Xapian::Error.
void read_features(const FeatureSource& source, DocumentRows& documents, Mirror& mirror);

}  // namespace kindred
