#include "plugin/writing/topic_assignment.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/regular_file.h"
#include "plugin/documents/stored_document.h"
#include "plugin/store/database.h"
#include "plugin/writing/resumable_run.h"

namespace kindred {
namespace {

constexpr const char* kPlacesCursor = "kindred.topics";  // in the metadata of the database

AssignReport assign_all(Engine& engine, const AssignRequest& request) {
  ResumableRun run(engine, false);
  const Settings& settings = engine.settings();
  AssignReport report;
  report.revision = engine.topic_map()->origin.revision;
  const nlohmann::json identity = {{"map", file_stamp(topic_map_path(engine.location()))},
                                   {"settings", settings_text(settings)}};
  const std::vector<PlacedDocument> places = engine.topic_places();
  report.matched = places.size();
  std::vector<Xapian::docid> docids;
  for (const PlacedDocument& placed : places) docids.push_back(placed.docid);
  report.continued = run.start(docids, kPlacesCursor, identity, request.restart);
  const auto change = [&](Xapian::docid docid, Xapian::Document& document) {
    const auto place = std::lower_bound(docids.begin(), docids.end(), docid) - docids.begin();
    return write_place(document, places[static_cast<std::size_t>(place)].place, settings.topics);
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

AssignReport assign_topics(Engine& engine, const AssignRequest& request) {
  try {
    return assign_all(engine, request);
  } catch (const Xapian::Error& e) {
    throw database_error(e, engine.path() + ": cannot give documents their topics");
  }
}

}  // namespace kindred
