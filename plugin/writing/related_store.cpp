#include "plugin/writing/related_store.h"

#include <xapian.h>
#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/store/database.h"
#include "plugin/writing/resumable_run.h"

namespace kindred {
namespace {

constexpr const char* kRelatedCursor = "kindred.related";  // in the metadata of the database

/// @throws Error kInvalidArgument if the slot has another meaning already.
void check_slot(const Settings& settings) {
  const std::int64_t slot = settings.related.slot;
  if (slot != settings.labels.prediction_slot && slot != settings.topics.slot &&
      slot != settings.index.title_slot)
    return;
  throw Error(Errc::kInvalidArgument,
              "related.slot: expected a slot other than labels.prediction_slot, topics.slot and "
              "index.title_slot (got " +
                  std::to_string(slot) + ")");
}

/// The ids of the documents that are most similar to one, with tabs between them.
std::string related_ids(const Engine& engine, Xapian::docid docid,
                        const StoreRelatedRequest& request) {
  RelatedRequest question;
  question.like = {Docid{docid}};
  question.filter = request.filter;
  question.weights = request.weights;
  question.k = request.k;
  question.threshold = request.threshold;
  std::vector<SimilarDocument> found = engine.neighborhood(question).documents;
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.similarity > b.similarity;  // they come by docid
  });
  std::string ids;
  for (const SimilarDocument& document : found)
    ids += (ids.empty() ? "" : "\t") + engine.id_of(document.docid);
  return ids;
}

StoreRelatedReport store_all(Engine& engine, const StoreRelatedRequest& request) {
  check_slot(engine.settings());
  ResumableRun run(engine, false, request.ranks);
  if (run.is_idle()) return {};
  const Settings& settings = engine.settings();
  StoreRelatedReport report;
  const Status status = engine.status();
  report.revision = status.revision;
  report.shards = status.shards;
  const auto slot = static_cast<Xapian::valueno>(settings.related.slot);
  const nlohmann::json identity = {{"query", request.query},
                                   {"filter", request.filter},
                                   {"weights", request.weights.value_or("")},
                                   {"k", request.k.value_or(0)},
                                   {"threshold", request.threshold.value_or(-1)},
                                   {"settings", settings_text(settings)}};
  const std::vector<Xapian::docid> docids = engine.matching(request.query);
  report.matched = docids.size();
  report.continued = run.start(docids, kRelatedCursor, identity, request.restart);
  const auto change = [&](Xapian::docid docid, Xapian::Document& document) {
    const std::string ids = related_ids(engine, docid, request);
    if (document.get_value(slot) == ids) return false;
    document.add_value(slot, ids);
    return true;
  };
  ResumableRun::Counts counts;
  run.change_each(change, counts, [&] {
    counts.write_to(report);
    if (request.on_progress) request.on_progress(report);
  });
  counts.write_to(report);
  return report;
}

}  // namespace

StoreRelatedReport store_related(Engine& engine, const StoreRelatedRequest& request) {
  try {
    return store_all(engine, request);
  } catch (const Xapian::Error& e) {
    throw database_error(e, engine.path() + ": cannot store related documents");
  }
}

}  // namespace kindred
