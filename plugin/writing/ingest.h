#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "config/log.h"
#include "config/settings.h"
#include "plugin/answers.h"
#include "plugin/input/record.h"

namespace kindred {

/// Counts of the records so far.
struct IngestReport {
  std::uint64_t added = 0;            ///< new documents
  std::uint64_t replaced = 0;         ///< documents with an id that was there already
  std::uint64_t failed = 0;           ///< records that were refused
  std::uint64_t tagged = 0;           ///< documents that were given at least one predicted tag
  std::uint64_t pending = 0;          ///< documents that are marked to be classified later
  std::uint64_t near_duplicates = 0;  ///< documents that are nearly the same as another one
  std::uint64_t uncompared = 0;       ///< documents for which the search of that one failed
  std::uint64_t wordless = 0;         ///< records without title, text, terms and body fields
  std::uint64_t textless = 0;         ///< records without text, terms and body fields
  std::uint64_t unlabeled = 0;        ///< records without labels
  std::uint64_t named = 0;            ///< records that got their id by IngestOptions::ids_by_origin
  std::string first_name;             ///< the id of the first of these
  std::uint64_t joined = 0;           ///< records whose only label has a sign that may separate
  std::string first_joined;           ///< the label of the first of these
  /// Keys that are only kept for display, with how many records have them: the first 1,000 found.
  std::map<std::string, std::uint64_t> unread_keys;
};

/// Where a record was read, for reports.
struct RecordOrigin {
  std::string file;        ///< "" = from no file
  std::uint64_t line = 0;  ///< 1-based
};

/// What became of one record.
struct DocumentReport {
  enum class Outcome { kAdded, kReplaced, kFailed };

  RecordOrigin origin;
  std::string id;  ///< "" if the record could not be parsed
  Outcome outcome = Outcome::kFailed;
  std::vector<Tag> tags;  ///< predicted
  bool pending = false;   ///< marked to be classified later
  std::string reason;     ///< why it failed or is pending; else ""
  /// With settings.ingest.near_duplicates, the document was compared with what the index holds
  /// besides and with those that came before it. Not if that failed, or if a later record of the
  /// same batch replaced it.
  bool compared = false;
  std::optional<NearDuplicate> near_duplicate;  ///< the one that it is most like
};

/// The callbacks may run on another thread than the caller's, one at a time. They must not call the
/// Ingest. What they throw is thrown to the caller like an error of the database.
struct IngestOptions {
  bool tag = true;   ///< predict tags for documents without labels
  bool tune = true;  ///< before tags are given, tune if that is due: Engine::tune_if_needed()
  /// Called after each commit, with everything reported so far on disk. May be empty.
  std::function<void(const IngestReport&)> on_commit;
  /// Called once for every record, in the order in which they were handed in, when the document is
  /// on disk, or the record refused for good and, if so asked, among the dead letters. May be
  /// empty.
  std::function<void(const DocumentReport&)> on_document;
  /// A record without an id gets one of its origin, the name of the file and the line, as in
  /// "articles.csv:2". Without this, and without a file, it is refused.
  bool ids_by_origin = false;
  Log log;          ///< gets the reasons why documents are not tagged or not compared
  std::string who;  ///< in whose name labels come, for the history; "": the user of this process
};

class Engine;

/// Writes records into a Xapian database, and tags those without labels from the labeled ones.
///
///     Ingest ingest("wiki.db", Settings());
///     Record record;
///     record.id = "bread";
///     record.text = "Flour, water and salt make a dough.";
///     ingest.add(record);
///     ingest.commit();
///
/// Records pass through a queue, which holds at most 2,048 of them, and 64 MiB. Threads of its own
/// analyze them (settings.backend.threads, at most 8), and one thread classifies them in waves and
/// writes them, in the order in which they were handed in. It commits every settings.index.batch
/// records, after 256 MiB of them, and by time (settings.ingest). Whoever adds to a full queue
/// waits. With one thread, or if the system gives no other, add() and commit() do the work.
///
/// A document that cannot be classified (because of an error, or because there are no voters yet)
/// is indexed nevertheless, with kPendingTerm, unless settings.ingest.on_failure says that it
/// fails. If the database has a map of topics, every document gets its place on it
/// (settings.topics); the map is read in the constructor.
///
/// With settings.ingest.near_duplicates, each document is compared with the others when it is on
/// disk, before it is reported, as Engine::near_duplicates() does. To that end the engine is
/// refreshed after each commit, whatever that costs.
///
/// Holds the write lock until a commit, then from the next record on. Call it from one thread.
class KINDRED_API Ingest {
 public:
  /// Opens the database, or makes it, and the file of dead letters if there is to be one.
  /// @throws Error kDatabase (also if another writer holds the lock, or the file cannot be
  /// written); kInvalidArgument (settings).
  Ingest(const std::string& database, const Settings& settings, IngestOptions options = {});

  /// Writes to the database of `engine`, with its settings, and tags from its mirror, so that a
  /// server needs only one mirror. The engine is borrowed. It is refreshed after each commit, so
  /// that a document is tagged by those before it; where a refresh costs more than what changed
  /// (Engine::refreshes_in_proportion()), when an eighth of the labeled documents is new.
  /// @throws Error as above; kUnsupported if the engine has no path.
  explicit Ingest(Engine& engine, IngestOptions options = {});

  /// Commits what is not yet committed, unless an exception is in flight: then what waits is
  /// dropped. Call commit() before to see errors.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// Adds a record, or replaces the document with the same id. It reaches the disk with its batch.
  /// A new version of a document keeps what people said about its tags: those that they gave
  /// (unless Record::replaces_labels), those that they took off, and the opt-out. Predicted tags
  /// are not kept but for those of Record::predicted: they are predicted again, now or, with
  /// IngestOptions::tag off, by a later tagging run.
  /// @throws Error kInvalidArgument from check_record(): the record is counted as failed, and
  /// nothing else has changed; kDatabase: writing or a callback has failed, perhaps for an earlier
  /// record. Records since the last commit may be lost, and every later call throws the same.
  void add(const Record& record, RecordOrigin origin = {});

  /// Adds a record as JSON (see parse_record()), which is parsed by the threads that analyze. A
  /// record that is refused is counted and reported, and nothing is thrown.
  /// @throws Error kDatabase as above.
  void add_json(std::string json, RecordOrigin origin = {});

  /// Counts and reports a record that could not be parsed or read. `json` is what there is of it,
  /// for the dead letters.
  /// @throws Error kDatabase as above.
  void add_failure(std::string reason, RecordOrigin origin = {}, std::string json = {});

  /// Writes everything added so far to disk. @throws Error kDatabase as above.
  void commit();

  /// Counts every record that was written or refused; those that wait are not counted yet.
  IngestReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
