#include "plugin/writing/related_store.h"

#include <xapian.h>
#include <algorithm>
#include <span>
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

/// For each of some documents, the ids of those that are most similar to it, with tabs between
/// them.
std::vector<std::string> related_ids(const Engine& engine, std::span<const Xapian::docid> docids,
                                     const StoreRelatedRequest& request) {
  RelatedRequest question;
  question.filter = request.filter;
  question.k = request.k;
  question.threshold = request.threshold;
  std::vector<std::string> lines;
  for (const RelatedResult& found : engine.related_each(docids, question)) {
    std::string& ids = lines.emplace_back();
    for (const Related& document : found.results) {
      if (!ids.empty()) ids += '\t';
      ids += engine.id_of(document.docid);
    }
  }
  return lines;
}

StoreRelatedReport store_all(Engine& engine, const StoreRelatedRequest& request) {
  check_slot(engine.settings());
  ResumableRun run(engine, false);
  const Settings& settings = engine.settings();
  StoreRelatedReport report;
  const Status status = engine.status();
  report.revision = status.revision;
  report.shards = status.shards;
  const auto slot = static_cast<Xapian::valueno>(settings.related.slot);
  const nlohmann::json identity = {{"query", request.query},
                                   {"filter", request.filter},
                                   {"k", request.k},
                                   {"threshold", request.threshold},
                                   {"settings", settings_text(settings)}};
  const std::vector<Xapian::docid> docids = engine.matching(request.query);
  report.matched = docids.size();
  report.continued = run.start(docids, kRelatedCursor, identity, request.restart);
  const auto plan = [&](std::span<const Xapian::docid> part) {
    return [part, slot, lines = related_ids(engine, part, request)](Xapian::docid docid,
                                                                    Xapian::Document& document) {
      const auto place = std::ranges::lower_bound(part, docid) - part.begin();
      const std::string& ids = lines[static_cast<std::size_t>(place)];
      if (document.get_value(slot) == ids) return false;
      document.add_value(slot, ids);
      return true;
    };
  };
  ResumableRun::Counts counts;
  run.change_parts(plan, counts, [&] {
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
