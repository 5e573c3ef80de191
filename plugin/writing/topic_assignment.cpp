#include "plugin/writing/topic_assignment.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/documents/document_topic.h"
#include "plugin/store/database.h"
#include "plugin/store/run_cursor.h"
#include "plugin/store/value_check.h"

namespace kindred {
namespace {

constexpr const char* kCursorKey = "kindred.topics";  // in the metadata of the database

RunCursor cursor_of(const Engine& engine) {
  return {kCursorKey,
          {{"map", file_stamp(topic_map_path(engine.path()))},
           {"settings", settings_text(engine.settings())}}};
}

/// True if the document was written. Xapian writes only what changed if the document is the one
/// that was read last.
bool assign(Xapian::WritableDatabase& database, const PlacedDocument& placed,
            const TopicSettings& settings) {
  Xapian::Document document = database.get_document(placed.docid);
  if (!write_place(document, placed.place, settings)) return false;
  database.replace_document(placed.docid, document);
  return true;
}

AssignReport run(Engine& engine, const AssignRequest& request) {
  if (engine.path().empty())
    throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  const Settings& settings = engine.settings();
  AssignReport report;
  report.revision = engine.topic_map()->origin.revision;
  Xapian::WritableDatabase database = open_writable_database(engine.path(), Xapian::DB_OPEN);
  check_values(database, engine.path(), settings);
  engine.refresh();  // after the lock was taken, nothing moves any more
  const RunCursor cursor = cursor_of(engine);
  const std::vector<PlacedDocument> places = engine.topic_places();
  report.matched = places.size();
  std::span<const PlacedDocument> left(places);
  if (!request.restart) {
    const auto next = std::upper_bound(
        left.begin(), left.end(), cursor.read(database),
        [](Xapian::docid docid, const PlacedDocument& placed) { return docid < placed.docid; });
    report.continued = static_cast<std::uint64_t>(next - left.begin());
    left = left.subspan(report.continued);
  }
  while (!left.empty()) {
    const auto batch =
        left.first(std::min(static_cast<std::size_t>(settings.index.batch), left.size()));
    left = left.subspan(batch.size());
    const std::uint64_t before = report.written;
    database.begin_transaction();
    for (const PlacedDocument& placed : batch) {
      try {
        report.written += assign(database, placed, settings.topics) ? 1 : 0;
      } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
        ++report.gone;
      }
    }
    report.examined += batch.size();
    if (left.empty()) cursor.clear(database);
    if (!left.empty() && report.written > before) cursor.write(database, batch.back().docid);
    database.commit_transaction();
    if (request.on_progress) request.on_progress(report);
  }
  return report;
}

}  // namespace

AssignReport assign_topics(Engine& engine, const AssignRequest& request) {
  try {
    return run(engine, request);
  } catch (const Xapian::Error& e) {
    throw database_error(e, engine.path() + ": cannot give documents their topics");
  }
}

}  // namespace kindred
