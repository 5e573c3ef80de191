#include "plugin/writing/stored_answers.h"

#include <xapian.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/documents/stored_topic.h"
#include "plugin/reading.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/topics/topic_map.h"
#include "plugin/writing/resumable_run.h"

namespace kindred {
namespace {

using Docids = std::span<const Xapian::docid>;

// In the metadata of the database.
constexpr const char* kPlacesCursor = "kindred.topics";
constexpr const char* kRelatedCursor = "kindred.related";

/// Changes the document with this index in the list. False if it is to stay as it is.
using Change = std::function<bool(std::size_t i, Xapian::Document& document)>;

/// Changes documents of a shard. Xapian writes only what changed, since the document is the one
/// that was read last.
RunReport change_documents(RunShard& shard, Docids docids, const Change& change) {
  RunReport counts;

  counts.examined = docids.size();
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const Xapian::docid own = shard.own(docids[i]);
    try {
      Xapian::Document document = shard.writer()->get_document(own);
      if (!change(i, document)) continue;
      shard.writer()->replace_document(own, document);
      ++counts.written;
    } catch (const Xapian::DocNotFoundError&) {
      ++counts.gone;
    }
  }
  return counts;
}

/// `plan` makes the Change of some documents, in any thread.
template <typename Plan>
RunShard::Plan planned(const Settings& settings, const Plan& plan) {
  // The answers are found beside the writing of those before; only write() needs the lock.
  return [&plan, threads = static_cast<std::size_t>(settings.backend.threads)](RunShard& shard,
                                                                               Docids docids) {
    return run_beside(threads, [&plan, &shard, docids] {
      return RunShard::Write([&shard, docids, change = Change(plan(docids))] {
        return change_documents(shard, docids, change);
      });
    });
  };
}

AssignReport assign_all(Engine& engine, const AssignRequest& request) {
  const Settings& settings = engine.settings();

  // A map that is stored while this runs would place some documents on it and others on the old
  // one.
  std::shared_ptr<const TopicMap> map;
  const auto plan = [&](Docids part) {
    const PlacedDocuments placed = Reading(engine).placed_documents(part);
    if (placed.map != map)
      throw Error(Errc::kDatabase, engine.path() + ": another map was stored meanwhile");
    return [&, places = placed.documents](std::size_t i, Xapian::Document& document) {
      return write_topic(document, places[i].place, settings.topics);
    };
  };

  ResumableRun run(engine, false);
  AssignReport report;
  const Reading now(engine);
  static_cast<Origin&>(report) = now.origin();

  // The run holds the lock by now, so the map is the one that its identity names.
  map = now.topic_map();
  report.map_revision = map->origin.revision;
  const nlohmann::json identity = {{"map", index_file(topic_map_path(engine.location())).stamp()},
                                   {"settings", settings_text(settings)}};

  run.start(now.matching(""), kPlacesCursor, identity, request.restart, report);
  run.finish(planned(settings, plan), report, request.on_progress);

  return report;
}

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
std::vector<std::string> related_ids(const Reading& reading, Docids docids,
                                     const StoreRelatedRequest& request) {
  RelatedRequest question;
  question.filter = request.filter;
  question.limit = request.limit;
  question.min_similarity = request.min_similarity;
  question.feedback = request.feedback;
  question.titles = false;

  std::vector<std::string> lines;
  for (const RelatedResult& found : reading.related_each(docids, question)) {
    std::string& ids = lines.emplace_back();
    for (const api::RelatedDocument& document : found.results) {
      if (!ids.empty()) ids += '\t';
      ids += reading.id_of(document.docid);
    }
  }

  return lines;
}

RunReport relate_all(Engine& engine, const StoreRelatedRequest& request) {
  check_slot(engine.settings());
  const Settings& settings = engine.settings();
  const auto slot = static_cast<Xapian::valueno>(settings.related.slot);

  const auto plan = [&](Docids part) {
    // A document whose ids have not changed need not be written.
    return [slot, lines = related_ids(Reading(engine), part, request)](std::size_t i,
                                                                       Xapian::Document& document) {
      if (document.get_value(slot) == lines[i]) return false;
      document.add_value(slot, lines[i]);
      return true;
    };
  };

  ResumableRun run(engine, false);
  RunReport report;
  const Reading now(engine);
  static_cast<Origin&>(report) = now.origin();

  // A run is continued only if it asks the same.
  const nlohmann::json identity = {
      {"query", request.query},       {"filter", request.filter},
      {"limit", request.limit},       {"min_similarity", request.min_similarity},
      {"feedback", request.feedback}, {"settings", settings_text(settings)}};

  run.start(now.matching(request.query), kRelatedCursor, identity, request.restart, report);
  run.finish(planned(settings, plan), report, request.on_progress);

  return report;
}

}  // namespace

AssignReport assign_topics(Engine& engine, const AssignRequest& request) {
  return with_database_errors(engine.path() + ": cannot give documents their topics", [&] {
    return assign_all(engine, request);
  });
}

RunReport store_related(Engine& engine, const StoreRelatedRequest& request) {
  return with_database_errors(engine.path() + ": cannot store related documents", [&] {
    return relate_all(engine, request);
  });
}

}  // namespace kindred
