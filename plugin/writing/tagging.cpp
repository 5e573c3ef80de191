#include "plugin/writing/tagging.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/classify/classify_batch.h"
#include "plugin/documents/document_tags.h"
#include "plugin/reading.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/remembered.h"
#include "plugin/topics/topic_map.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/votes/votes.h"
#include "plugin/writing/resumable_run.h"

namespace kindred {
namespace {

using nlohmann::json;

constexpr const char* kTagsCursor = "kindred.tagging";  // in the metadata of the database

/// The members of a report that TagJob adds up.
constexpr std::array<std::uint64_t TagReport::*, 8> kTagCounts = {
    &TagReport::tagged, &TagReport::labeled,   &TagReport::opted_out, &TagReport::changed,
    &TagReport::given,  &TagReport::taken_off, &TagReport::rejected,  &TagReport::allowed};

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

  // A vote by units depends on the map, too.
  if (vote_kind(settings.classify.vote) == VoteKind::kUnit)
    run["map"] = index_file(topic_map_path(location)).stamp();

  return run;
}

/// Ends all refusals, including those that were found just now.
void allow_all(Examined& document) {
  document.allowed = document.wanted.limits.rejected.size();
  document.taken_off = 0;
  document.wanted.limits.rejected.clear();
}

/// What the shards of a run have in common. Any number of threads may use it.
class TagJob {
 public:
  TagJob(Engine& index, const TagRequest& asked)
      : engine(index), request(asked), settings(index.settings()) {}

  /// Shards take turns, since each classification has all threads.
  std::vector<Classification> classify(const std::vector<MirroredDocument>& documents) {
    if (documents.empty()) return {};
    const std::lock_guard lock(turn_);
    ClassifyRequest asked;
    asked.suggest = settings.classify.write_suggestions;
    return Reading(engine).classify(documents, asked);
  }

  /// Adds what became of some documents.
  void add(const TagReport& more) {
    const std::lock_guard lock(mutex_);
    for (const auto member : kTagCounts) report.*member += more.*member;

    // Shards end their parts in any order; the sample has the first documents by number, as a run
    // in one thread.
    std::vector<TagChange>& sample = report.sample;
    const auto before = static_cast<std::ptrdiff_t>(sample.size());
    sample.insert(sample.end(), more.sample.begin(), more.sample.end());
    std::ranges::inplace_merge(sample, sample.begin() + before, {}, &TagChange::docid);

    if (sample.size() > request.sample) sample.resize(request.sample);
  }

  Engine& engine;
  const TagRequest& request;
  const Settings& settings;
  TagReport report;  ///< of what is done; grows by add()

 private:
  std::mutex turn_;
  std::mutex mutex_;
};

/// The tagging of some documents of one shard: read(), classify() in any thread, then write().
class PartTagging {
 public:
  PartTagging(TagJob& job, RunShard& shard) : job_(job), shard_(shard) {}

  /// Reads what the documents hold, also what the run has written. Those that are gone are left
  /// out.
  void read(std::span<const Xapian::docid> docids) {
    // A dry run has no writer, and reads the database as anybody else.
    report_.examined = docids.size();
    DatabaseReader reader = shard_.writer() == nullptr ? DatabaseReader(job_.engine.path())
                                                       : DatabaseReader(*shard_.writer());

    reader.read(job_.engine.path() + ": cannot read documents",
                [&](const Xapian::Database& database) {
                  read(database, docids);
                });

    report_.gone = docids.size() - documents_.size();
  }

  /// Decides which tags they are to hold.
  void classify() {
    // Only documents that may get predicted tags are asked for.
    std::vector<MirroredDocument> asked;
    for (const Examined& document : documents_) {
      if (document.is_asked()) asked.push_back({document.docid, document.wanted.limits});
    }

    std::vector<Classification> answers = job_.classify(asked);

    // Answers come in the order of those that were asked for; the others get none, and lose the
    // tags that they have.
    auto answer = answers.begin();
    for (Examined& document : documents_) {
      if (document.is_asked()) {
        document.classification = std::move(*answer);
        ++answer;
      }
      predict(document.wanted, document.classification, job_.settings.labels);
      remember(document.now, document.wanted, job_.settings.labels);
    }
  }

  RunReport write() {
    for (const Examined& document : documents_) {
      count(document);
      write(document);
    }
    job_.add(report_);
    return report_;
  }

 private:
  void read(const Xapian::Database& database, std::span<const Xapian::docid> docids) {
    documents_.clear();
    for (const Xapian::docid docid : docids) {
      try {
        Examined document;
        document.docid = docid;
        document.now = read_tags(database.get_document(shard_.own(docid)), job_.settings);
        document.wanted = document.now;
        document.taken_off = settle_limits(document.wanted, job_.settings.labels);
        if (job_.request.allow_all) allow_all(document);
        documents_.push_back(std::move(document));
      } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
      }
    }
  }

  void count(const Examined& document) {
    const StoredTags& now = document.now;
    const StoredTags& wanted = document.wanted;

    if (!wanted.predicted.empty()) ++report_.tagged;
    if (!wanted.limits.auto_tag) ++report_.opted_out;
    if (wanted.limits.auto_tag && !now.labels.empty()) ++report_.labeled;
    report_.rejected += document.taken_off;
    report_.allowed += document.allowed;
    if (wanted != now) ++report_.written;

    // A document counts as changed if it gets or loses a tag: other confidences change nothing that
    // people see.
    const std::vector<std::string> given = missing_in(wanted.predicted, now.predicted);
    TagChange change{now.id, document.docid, {}, missing_in(now.predicted, wanted.predicted)};
    if (given.empty() && change.taken_off.empty()) return;
    ++report_.changed;
    report_.given += given.size();
    report_.taken_off += change.taken_off.size();

    if (report_.sample.size() == job_.request.sample) return;
    for (const Tag& tag : document.classification.tags) {
      if (std::binary_search(given.begin(), given.end(), tag.label)) change.given.push_back(tag);
    }
    report_.sample.push_back(std::move(change));
  }

  /// Xapian writes only the changes if the document is the one that was read last.
  void write(const Examined& document) {
    Xapian::WritableDatabase* writer = shard_.writer();
    if (writer == nullptr || document.wanted == document.now) return;

    const Xapian::docid own = shard_.own(document.docid);
    Xapian::Document stored = writer->get_document(own);
    write_tags(stored, document.now, document.wanted, job_.settings.labels, shard_.changes(),
               document.docid);
    writer->replace_document(own, stored);
  }

  TagJob& job_;
  RunShard& shard_;
  std::vector<Examined> documents_;
  TagReport report_;
};

TagReport tag_all(Engine& engine, const TagRequest& request) {
  // The run takes the locks first: what is read from here on is what will be written to.
  TagJob job(engine, request);
  ResumableRun run(engine, request.dry_run);
  const Reading now(engine);
  if (now.mirror().labeled.count() == 0)
    throw Error(Errc::kNotFound,
                engine.path() + ": no document has a label, so there are no voters");

  const auto docids = now.matching(request.query, request.pending ? kPendingTerm : "");
  static_cast<Origin&>(job.report) = now.origin();

  // A run that asks the same goes on where an earlier one was interrupted.
  run.start(docids, kTagsCursor, identity(request, job.settings, engine.location()),
            request.restart, job.report);

  // Reads in this thread, since a Xapian::Database is for one thread at a time.
  const auto plan = [&job](RunShard& shard, std::span<const Xapian::docid> part) {
    const auto tagging = std::make_shared<PartTagging>(job, shard);
    tagging->read(part);
    return run_beside(static_cast<std::size_t>(job.settings.backend.threads), [tagging] {
      tagging->classify();
      return RunShard::Write([tagging] {
        return tagging->write();
      });
    });
  };

  TagHistory history(engine.path(), job.settings, request.who, "tag");
  run.finish(plan, job.report, request.on_progress, &history);
  job.report.run = history.run();
  return std::move(job.report);
}

}  // namespace

TagReport tag_documents(Engine& engine, const TagRequest& request) {
  return with_database_errors(engine.path() + ": cannot tag documents", [&] {
    // A tuning that is due comes first, or the next run would take these tags off again.
    if (request.tune && !request.dry_run) engine.tune_if_needed();
    TagReport report = tag_all(engine, request);

    if (!request.dry_run) remember_given(engine.settings(), engine.location());
    return report;
  });
}

}  // namespace kindred
