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

/// Counts of the records so far.
struct IngestReport {
  std::uint64_t added = 0;     ///< new documents
  std::uint64_t replaced = 0;  ///< documents with an id that was there already
  std::uint64_t failed = 0;    ///< records that were refused
  std::uint64_t tagged = 0;    ///< documents that were given at least one predicted tag
  std::uint64_t pending = 0;   ///< documents that are marked to be classified later
};

struct IngestOptions {
  bool tag = true;  ///< predict tags for documents without labels
  /// Called after each commit, with everything reported so far on disk. May be empty.
  std::function<void(const IngestReport&)> on_commit;
  Log log;  ///< gets the reasons why documents are not tagged
};

class Engine;

/// Writes records into a Xapian database, with one commit per batch, and tags those without labels
/// from the labeled ones. A document that cannot be classified (because of an error, or because
/// there are no voters yet) is indexed nevertheless, with settings.labels.pending_term. If the
/// database has a map of topics, every document gets its place on it (settings.topics); the map is
/// read in the constructor. Holds the write lock of the database. For one thread.
class KINDRED_API Ingest {
 public:
  /// Opens the database, or makes it.
  /// @throws Error kDatabase (also if another writer holds the lock); kInvalidArgument (settings).
  Ingest(const std::string& database, const Settings& settings, IngestOptions options = {});

  /// Writes to the database of `engine`, with its settings, and tags from its mirror, so that a
  /// server needs only one mirror. The engine is borrowed. It is refreshed when enough labeled
  /// documents have been added.
  /// @throws Error as above; kUnsupported if the engine has no path.
  explicit Ingest(Engine& engine, IngestOptions options = {});

  /// Commits what is not yet committed, unless an exception is in flight. Call commit() before to
  /// see errors.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// Adds a record, or replaces the document with the same id. It reaches the disk with its batch.
  /// A new version of a document keeps what people said about its tags: those that they gave
  /// (unless Record::replaces_labels), those that they took off, and the opt-out. Predicted tags
  /// are not kept: they are predicted again, now or, with IngestOptions::tag off, by a later
  /// tagging run.
  /// @throws Error kInvalidArgument from check_record(): the record is counted as failed, and
  /// nothing else has changed; kDatabase: records since the last commit may be lost.
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
