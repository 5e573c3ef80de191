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

/// True if the document was written. Xapian writes only the changes if the document is the one that
/// was read last.
bool assign(ResumableRun& run, const PlacedDocument& placed, const TopicSettings& settings) {
  Xapian::Document document = run.writer()->get_document(placed.docid);
  if (!write_place(document, placed.place, settings)) return false;
  run.writer()->replace_document(placed.docid, document);
  run.wrote(placed.docid, document);
  return true;
}

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
  const auto write = [&](RunPart part, RunPart) {
    const std::uint64_t before = report.written;
    report.examined += part.size();
    for (std::size_t i = part.begin; i < part.end; ++i) {
      try {
        report.written += assign(run, places[i], settings.topics) ? 1 : 0;
      } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
        ++report.gone;
      }
    }
    return static_cast<std::size_t>(report.written - before);
  };
  run.finish(write, [&] {
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
