#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/api.h"
#include "config/log.h"
#include "config/settings.h"
#include "plugin/input/record.h"

namespace kindred {

/// What became of the records so far.
struct IngestReport {
  std::uint64_t added = 0;     ///< new documents
  std::uint64_t replaced = 0;  ///< documents whose id was there already
  std::uint64_t failed = 0;    ///< records that were refused
  std::uint64_t tagged = 0;    ///< documents that were given at least one predicted tag
  std::uint64_t pending = 0;   ///< documents that are marked to be classified later
};

struct IngestOptions {
  bool tag = true;  ///< predict tags for documents without labels
  /// Called after each commit, with everything reported so far on disk. May be empty.
  std::function<void(const IngestReport&)> on_commit;
  Log log;  ///< told why documents are left untagged
};

class Engine;

/// Writes records into a Xapian database, one commit a batch, and tags the unlabeled ones from the
/// labeled ones. A document that cannot be classified (an error, or no voters yet) is
/// indexed all the same, with settings.labels.pending_term. Where the database has a map of topics,
/// every document gets its place on it (settings.topics); the map is read when this is made. Holds
/// the database's write lock. For one thread.
class KINDRED_API Ingest {
 public:
  /// Opens the database, or makes it.
  /// @throws Error kDatabase (also if another writer holds the lock); kInvalidArgument (settings).
  Ingest(const std::string& database, const Settings& settings, IngestOptions options = {});

  /// Writes to the database of `engine`, with its settings, and tags from its mirror, so that a
  /// server keeps one mirror only. The engine is borrowed and refreshed when enough labeled
  /// documents have come in.
  /// @throws Error as above; kUnsupported if the engine has no path.
  explicit Ingest(Engine& engine, IngestOptions options = {});

  /// Commits what is pending unless an exception is under way; call commit() to see errors.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// Adds a record, or replaces the document of the same id. It reaches the disk with its batch.
  /// What people said about a document's tags outlives it: the tags they gave, unless the record
  /// says which (Record::replaces_labels), those they took off, and that it opted out. Predicted
  /// tags do not: they are predicted again, or, with IngestOptions::tag off, by a later tagging
  /// run.
  /// @throws Error kInvalidArgument from check_record(), counted as failed, nothing else changed;
  /// kDatabase, after which what came since the last commit may be lost.
  void add(const Record& record);

  /// Counts a record that could not even be parsed.
  void count_failure();

  /// Writes everything added so far to disk.
  void commit();

  const IngestReport& report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
