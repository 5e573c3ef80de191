#include "plugin/writing/topic_assignment.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "config/regular_file.h"
#include "plugin/documents/document_topic.h"
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
  const RunCursor cursor(kPlacesCursor, {{"map", file_stamp(topic_map_path(engine.location()))},
                                         {"settings", settings_text(settings)}});
  const std::vector<PlacedDocument> places = engine.topic_places();
  report.matched = places.size();
  std::vector<Xapian::docid> docids;
  for (const PlacedDocument& placed : places) docids.push_back(placed.docid);
  report.continued = run.start(std::move(docids), cursor, request.restart);
  const auto change = [&](std::size_t place, Xapian::Document& document) {
    return write_place(document, places[place].place, settings.topics);
  };
  run.change_each(change, {report.examined, report.written, report.gone}, [&] {
    if (request.on_progress) request.on_progress(report);
  });
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
