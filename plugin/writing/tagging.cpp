#include "plugin/writing/tagging.h"

#include <algorithm>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"
#include "gpu/workers.h"
#include "plugin/documents/document_tags.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/run_cursor.h"
#include "plugin/store/value_check.h"
#include "plugin/topics/map.h"
#include "plugin/votes/tagging_method.h"
#include "plugin/votes/tuning.h"

namespace kindred {
namespace {

using nlohmann::json;

constexpr std::size_t kBatch = 1000;                   ///< documents classified at a time
constexpr const char* kCursorKey = "kindred.tagging";  ///< in the metadata of the database

/// A document, what it holds and what it is to hold.
struct Examined {
  Xapian::docid docid = 0;
  StoredTags now;
  StoredTags wanted;
  Classification classification;
  std::size_t taken_off = 0;  ///< tags found to have been taken off
  std::size_t allowed = 0;    ///< refusals that end

  /// People's word comes first: what they tagged, and what opted out, is not asked about.
  bool is_asked() const { return wanted.labels.empty() && wanted.limits.auto_tag; }
};

/// Documents that are read, classified and written together.
struct Part {
  std::span<const Xapian::docid> docids;
  bool commits = false;  ///< the last one of its transaction
};

/// Transactions of so many documents, each in parts of kBatch.
std::vector<Part> cut(std::span<const Xapian::docid> docids, std::size_t transaction) {
  std::vector<Part> parts;
  while (!docids.empty()) {
    auto left = docids.first(std::min(transaction, docids.size()));
    docids = docids.subspan(left.size());
    while (!left.empty()) {
      const auto part = left.first(std::min(kBatch, left.size()));
      left = left.subspan(part.size());
      parts.push_back({part, left.empty()});
    }
  }
  return parts;
}

std::vector<std::string> missing_in(const std::vector<std::string>& labels,
                                    const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  std::set_difference(labels.begin(), labels.end(), others.begin(), others.end(),
                      std::back_inserter(missing));
  return missing;
}

/// What makes two runs the same.
json identity(const TagRequest& request, const Settings& settings, const std::string& database) {
  json run = {{"query", request.query},
              {"pending", request.pending},
              {"allow_all", request.allow_all},
              {"settings", settings_text(settings)},
              {"tuning", tuning_stamp(database)}};
  if (vote_kind(settings.classify.vote) == VoteKind::kUnit)
    run["map"] = file_stamp(topic_map_path(database));
  return run;
}

/// Ends what was refused, also what was found just now.
void allow_all(Examined& document) {
  document.allowed = document.wanted.limits.rejected.size();
  document.taken_off = 0;
  document.wanted.limits.rejected.clear();
}

class Run {
 public:
  Run(Engine& engine, const TagRequest& request);
  TagReport finish();

 private:
  using Documents = std::vector<Examined>;

  void tag(const std::vector<Part>& parts);
  void commit(Xapian::docid last, bool more);
  std::future<Documents> begin(const Part& part);
  Documents read(const Xapian::Database& database, std::span<const Xapian::docid> docids) const;
  void classify(Documents& batch) const;
  void count(const Examined& document);
  void write(const Examined& document);

  Engine& engine_;
  const TagRequest& request_;
  const Settings& settings_;
  const RunCursor cursor_;
  std::optional<Xapian::WritableDatabase> writer_;  ///< none for a dry run
  std::optional<DatabaseReader> reader_;            ///< of what the run has written, too
  TagReport report_;
  std::uint64_t committed_ = 0;  ///< of report_.written
};

Run::Run(Engine& engine, const TagRequest& request)
    : engine_(engine),
      request_(request),
      settings_(engine.settings()),
      cursor_(kCursorKey, identity(request, settings_, engine.path())) {
  const std::string& path = engine.path();
  if (path.empty()) {
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  }
  if (request.dry_run) {
    reader_.emplace(path);
  } else {
    writer_ = open_writable_database(path, Xapian::DB_OPEN);
    check_values(*writer_, path, settings_);
    reader_.emplace(*writer_);
  }
  engine.refresh();  // after the lock was taken, nothing moves any more
  if (engine.status().labeled == 0) {
    throw Error(Errc::kNotFound, path + ": no document has a label to learn from");
  }
}

TagReport Run::finish() {
  std::vector<Xapian::docid> docids =
      engine_.matching(request_.query, request_.pending ? settings_.labels.pending_term : "");
  report_.revision = engine_.status().revision;
  report_.matched = docids.size();
  if (writer_ && !request_.restart) {
    const auto begin = std::upper_bound(docids.begin(), docids.end(), cursor_.read(*writer_));
    report_.continued = static_cast<std::uint64_t>(begin - docids.begin());
    docids.erase(docids.begin(), begin);
  }
  tag(cut(docids, static_cast<std::size_t>(settings_.index.batch)));
  return std::move(report_);
}

/// Each part is classified while the one before is written.
void Run::tag(const std::vector<Part>& parts) {
  std::future<Documents> next;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (i == 0) next = begin(part);
    const Documents documents = next.get();
    if (i + 1 < parts.size()) next = begin(parts[i + 1]);
    if (writer_ && (i == 0 || parts[i - 1].commits)) writer_->begin_transaction();
    report_.examined += part.docids.size();
    report_.gone += part.docids.size() - documents.size();
    for (const Examined& document : documents) {
      count(document);
      write(document);
    }
    if (!part.commits) continue;
    commit(part.docids.back(), i + 1 < parts.size());
    if (request_.on_progress) request_.on_progress(report_);
  }
}

/// Ends the transaction. `more`: documents after `last` are to come.
void Run::commit(Xapian::docid last, bool more) {
  if (!writer_) return;
  if (!more) cursor_.clear(*writer_);
  if (more && report_.written > committed_) cursor_.write(*writer_, last);
  writer_->commit_transaction();
  committed_ = report_.written;
}

/// Reads in this thread, since a Xapian::Database is for one at a time; classifies in another.
std::future<Run::Documents> Run::begin(const Part& part) {
  Documents batch =
      reader_->read(engine_.path() + ": cannot read documents",
                    [&](const Xapian::Database& database) { return read(database, part.docids); });
  return run_beside(static_cast<std::size_t>(settings_.backend.threads),
                    [this, batch = std::move(batch)]() mutable {
                      classify(batch);
                      return std::move(batch);
                    });
}

Run::Documents Run::read(const Xapian::Database& database,
                         std::span<const Xapian::docid> docids) const {
  Documents batch;
  batch.reserve(docids.size());
  for (const Xapian::docid docid : docids) {
    try {
      Examined document;
      document.docid = docid;
      document.now = read_tags(database.get_document(docid), settings_);
      document.wanted = document.now;
      document.taken_off = settle_limits(document.wanted, settings_.labels);
      if (request_.allow_all) allow_all(document);
      batch.push_back(std::move(document));
    } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
    }
  }
  return batch;
}

/// Finds out what the documents are to hold.
void Run::classify(Documents& batch) const {
  std::vector<MirroredDocument> asked;
  for (const Examined& document : batch) {
    if (document.is_asked()) asked.push_back({document.docid, document.wanted.limits});
  }
  std::vector<Classification> answers = engine_.classify(asked);
  auto answer = answers.begin();
  for (Examined& document : batch) {
    if (document.is_asked()) document.classification = std::move(*answer++);
    predict(document.wanted, document.classification, settings_.labels);
    remember(document.now, document.wanted, settings_.labels);
  }
}

void Run::count(const Examined& document) {
  const StoredTags& now = document.now;
  const StoredTags& wanted = document.wanted;
  report_.tagged += wanted.predicted.empty() ? 0 : 1;
  report_.opted_out += wanted.limits.auto_tag ? 0 : 1;
  report_.labeled += wanted.limits.auto_tag && !now.labels.empty() ? 1 : 0;
  report_.rejected += document.taken_off;
  report_.allowed += document.allowed;
  report_.written += wanted == now ? 0 : 1;
  const std::vector<std::string> given = missing_in(wanted.predicted, now.predicted);
  TagChange change{now.id, document.docid, {}, missing_in(now.predicted, wanted.predicted)};
  if (given.empty() && change.taken_off.empty()) return;
  ++report_.changed;
  report_.given += given.size();
  report_.taken_off += change.taken_off.size();
  if (report_.sample.size() == request_.sample) return;
  for (const Tag& tag : document.classification.tags) {
    if (std::binary_search(given.begin(), given.end(), tag.label)) change.given.push_back(tag);
  }
  report_.sample.push_back(std::move(change));
}

/// Xapian writes only what changed if the document is the one that was read last.
void Run::write(const Examined& document) {
  if (!writer_ || document.wanted == document.now) return;
  Xapian::Document stored = writer_->get_document(document.docid);
  write_tags(stored, document.now, document.wanted, settings_.labels);
  writer_->replace_document(document.docid, stored);
}

}  // namespace

TagReport tag_documents(Engine& engine, const TagRequest& request) {
  try {
    return Run(engine, request).finish();
  } catch (const Xapian::Error& e) {
    throw database_error(e, engine.path() + ": cannot tag documents");
  }
}

}  // namespace kindred
