#include "plugin/writing/tagging.h"

#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"
#include "gpu/workers.h"
#include "plugin/documents/document_tags.h"
#include "plugin/profile/remembered.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/topics/map.h"
#include "plugin/votes/tagging_method.h"
#include "plugin/votes/tuning.h"
#include "plugin/writing/resumable_run.h"
#include "plugin/writing/shared_tagging.h"

namespace kindred {
namespace {

using nlohmann::json;

constexpr const char* kTagsCursor = "kindred.tagging";  // in the metadata of the database

/// A document, the tags that it holds, and those that it is to hold.
struct Examined {
  Xapian::docid docid = 0;
  StoredTags now;
  StoredTags wanted;
  Classification classification;
  std::size_t taken_off = 0;  ///< tags found to have been taken off
  std::size_t allowed = 0;    ///< refusals that end

  /// False for documents that people have tagged, and for those that opted out.
  bool is_asked() const { return wanted.labels.empty() && wanted.limits.auto_tag; }
};

std::vector<std::string> missing_in(const std::vector<std::string>& labels,
                                    const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  std::set_difference(labels.begin(), labels.end(), others.begin(), others.end(),
                      std::back_inserter(missing));
  return missing;
}

/// Two runs are the same if these are equal.
json identity(const TagRequest& request, const Settings& settings, const std::string& location) {
  json run = {{"query", request.query},
              {"pending", request.pending},
              {"allow_all", request.allow_all},
              {"settings", settings_text(settings)},
              {"tuning", tuning_stamp(location)}};
  if (vote_kind(settings.classify.vote) == VoteKind::kUnit)
    run["map"] = file_stamp(topic_map_path(location));
  return run;
}

/// Ends all refusals, including those that were found just now.
void allow_all(Examined& document) {
  document.allowed = document.wanted.limits.rejected.size();
  document.taken_off = 0;
  document.wanted.limits.rejected.clear();
}

class Tagging {
 public:
  Tagging(Engine& engine, const TagRequest& request);
  TagReport run();

 private:
  using Documents = std::vector<Examined>;

  std::size_t tag(RunPart part, RunPart next);
  std::future<Documents> begin(RunPart part);
  Documents read(const Xapian::Database& database, std::span<const Xapian::docid> docids) const;
  void classify(Documents& batch) const;
  void count(const Examined& document);
  void write(const Examined& document);

  Engine& engine_;
  const TagRequest& request_;
  const Settings& settings_;
  LoneRank alone_;
  Ranks& ranks_;
  ResumableRun run_;
  DatabaseReader reader_;  ///< also sees what the run has written
  TagReport report_;
  std::future<Documents> next_;  ///< the part that is being classified; ends before the rest goes
};

Tagging::Tagging(Engine& engine, const TagRequest& request)
    : engine_(engine),
      request_(request),
      settings_(engine.settings()),
      ranks_(request.ranks != nullptr ? *request.ranks : alone_),
      run_(engine, request.dry_run),
      reader_(request.dry_run ? DatabaseReader(engine.path()) : DatabaseReader(*run_.writer())) {
  if (engine.status().labeled == 0)
    throw Error(Errc::kNotFound,
                engine.path() + ": no document has a label, so there are no voters");
}

TagReport Tagging::run() {
  std::vector<Xapian::docid> docids =
      engine_.matching(request_.query, request_.pending ? settings_.labels.pending_term : "");
  report_.revision = engine_.status().revision;
  report_.matched = docids.size();
  const RunCursor cursor(kTagsCursor, identity(request_, settings_, engine_.location()));
  if (request_.ranks != nullptr) engine_.check_agreement(ranks_);
  report_.continued = run_.start(std::move(docids), cursor, request_.restart);
  run_.finish([this](RunPart part, RunPart next) { return tag(part, next); },
              [this] {
                if (request_.on_progress) request_.on_progress(report_);
              });
  if (ranks_.size() > 1) classify_with(ranks_, engine_, {});
  return std::move(report_);
}

/// Each part is classified while the one before is written.
std::size_t Tagging::tag(RunPart part, RunPart next) {
  if (!next_.valid()) next_ = begin(part);
  const Documents documents = next_.get();
  if (next.size() > 0) next_ = begin(next);
  const std::uint64_t before = report_.written;
  report_.examined += part.size();
  report_.gone += part.size() - documents.size();
  for (const Examined& document : documents) {
    count(document);
    write(document);
  }
  return report_.written - before;
}

/// Reads in this thread, since a Xapian::Database is for one thread at a time; classifies in
/// another.
std::future<Tagging::Documents> Tagging::begin(RunPart part) {
  const auto docids = run_.docids(part);
  Documents batch =
      reader_.read(engine_.path() + ": cannot read documents",
                   [&](const Xapian::Database& database) { return read(database, docids); });
  return run_beside(static_cast<std::size_t>(settings_.backend.threads),
                    [this, batch = std::move(batch)]() mutable {
                      classify(batch);
                      return std::move(batch);
                    });
}

Tagging::Documents Tagging::read(const Xapian::Database& database,
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

/// Decides which tags the documents are to hold.
void Tagging::classify(Documents& batch) const {
  std::vector<MirroredDocument> asked;
  for (const Examined& document : batch) {
    if (document.is_asked()) asked.push_back({document.docid, document.wanted.limits});
  }
  std::vector<Classification> answers;
  if (!asked.empty()) answers = classify_with(ranks_, engine_, asked);
  auto answer = answers.begin();
  for (Examined& document : batch) {
    if (document.is_asked()) document.classification = std::move(*answer++);
    predict(document.wanted, document.classification, settings_.labels);
    remember(document.now, document.wanted, settings_.labels);
  }
}

void Tagging::count(const Examined& document) {
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

/// Xapian writes only the changes if the document is the one that was read last.
void Tagging::write(const Examined& document) {
  Xapian::WritableDatabase* writer = run_.writer();
  if (writer == nullptr || document.wanted == document.now) return;
  Xapian::Document stored = writer->get_document(document.docid);
  write_tags(stored, document.now, document.wanted, settings_.labels);
  writer->replace_document(document.docid, stored);
  run_.wrote(document.docid, stored);
}

}  // namespace

TagReport tag_documents(Engine& engine, const TagRequest& request) {
  try {
    if (request.tune && !request.dry_run) engine.tune_if_needed();
    TagReport report = Tagging(engine, request).run();
    if (!request.dry_run) remember_given(engine.settings(), engine.location());
    return report;
  } catch (const Xapian::Error& e) {
    throw database_error(e, engine.path() + ": cannot tag documents");
  }
}

}  // namespace kindred
