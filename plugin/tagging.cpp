#include "plugin/tagging.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "config/error.h"
#include "plugin/database.h"
#include "plugin/document_tags.h"
#include "plugin/file_stamp.h"
#include "plugin/run_cursor.h"
#include "plugin/tagging_method.h"
#include "plugin/topic_map.h"
#include "plugin/tuning.h"

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
};

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
              {"settings", settings_text(settings)},
              {"tuning", tuning_stamp(database)}};
  if (vote_kind(settings.classify.vote) == VoteKind::kUnit)
    run["map"] = file_stamp(topic_map_path(database));
  return run;
}

class Run {
 public:
  Run(Engine& engine, const TagRequest& request);
  TagReport finish();

 private:
  void commit(Xapian::docid last, bool more);
  void examine_batch(std::span<const Xapian::docid> docids);
  std::vector<Examined> read(std::span<const Xapian::docid> docids);
  void classify(std::vector<Examined>& batch);
  void count(const Examined& document, const Classification& classification);
  void write(const Examined& document);

  Engine& engine_;
  const TagRequest& request_;
  const Settings& settings_;
  const RunCursor cursor_;
  std::optional<Xapian::WritableDatabase> writer_;  ///< none for a dry run
  Xapian::Database database_;
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
    database_ = open_database(path);
  } else {
    writer_ = open_writable_database(path, Xapian::DB_OPEN);
    database_ = *writer_;
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
  const auto batch = static_cast<std::size_t>(settings_.index.batch);
  for (std::span<const Xapian::docid> left(docids); !left.empty();) {
    const auto next = left.first(std::min(batch, left.size()));
    left = left.subspan(next.size());
    if (writer_) writer_->begin_transaction();
    for (std::size_t i = 0; i < next.size(); i += kBatch) {
      examine_batch(next.subspan(i, std::min(kBatch, next.size() - i)));
    }
    commit(next.back(), !left.empty());
    if (request_.on_progress) request_.on_progress(report_);
  }
  return std::move(report_);
}

/// Ends the transaction. `more`: documents after `last` are to come.
void Run::commit(Xapian::docid last, bool more) {
  if (!writer_) return;
  if (!more) cursor_.clear(*writer_);
  if (more && report_.written > committed_) cursor_.write(*writer_, last);
  writer_->commit_transaction();
  committed_ = report_.written;
}

void Run::examine_batch(std::span<const Xapian::docid> docids) {
  std::vector<Examined> batch = read_database(database_, engine_.path() + ": cannot read documents",
                                              [&] { return read(docids); });
  report_.examined += docids.size();
  report_.gone += docids.size() - batch.size();
  classify(batch);
  for (const Examined& document : batch) write(document);
}

std::vector<Examined> Run::read(std::span<const Xapian::docid> docids) {
  std::vector<Examined> batch;
  batch.reserve(docids.size());
  for (const Xapian::docid docid : docids) {
    try {
      Examined document{docid, read_tags(database_.get_document(docid), settings_), {}};
      document.wanted = document.now;
      reject_taken_off(document.wanted, settings_.labels);
      batch.push_back(std::move(document));
    } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
    }
  }
  return batch;
}

/// Finds out what the documents are to hold. People's word comes first: what they tagged, and what
/// opted out, is not asked about.
void Run::classify(std::vector<Examined>& batch) {
  std::vector<MirroredDocument> asked;
  for (const Examined& document : batch) {
    if (!document.now.labels.empty() || !document.now.limits.auto_tag) continue;
    asked.push_back({document.docid, document.wanted.limits});
  }
  const std::vector<Classification> answers = engine_.classify(asked);
  auto answer = answers.begin();
  for (Examined& document : batch) {
    const bool was_asked = document.now.labels.empty() && document.now.limits.auto_tag;
    const Classification& classification = was_asked ? *answer++ : Classification();
    predict(document.wanted, classification, settings_.labels);
    count(document, classification);
  }
}

void Run::count(const Examined& document, const Classification& classification) {
  const StoredTags& now = document.now;
  const StoredTags& wanted = document.wanted;
  report_.tagged += wanted.predicted.empty() ? 0 : 1;
  report_.opted_out += now.limits.auto_tag ? 0 : 1;
  report_.labeled += now.limits.auto_tag && !now.labels.empty() ? 1 : 0;
  report_.rejected += wanted.limits.rejected.size() - now.limits.rejected.size();
  report_.written += wanted == now ? 0 : 1;
  const std::vector<std::string> given = missing_in(wanted.predicted, now.predicted);
  TagChange change{now.id, document.docid, {}, missing_in(now.predicted, wanted.predicted)};
  if (given.empty() && change.taken_off.empty()) return;
  ++report_.changed;
  report_.given += given.size();
  report_.taken_off += change.taken_off.size();
  if (report_.sample.size() == request_.sample) return;
  for (const Tag& tag : classification.tags) {
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
