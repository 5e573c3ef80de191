#include "plugin/writing/deletion.h"

#include <xapian.h>
#include <set>
#include <vector>

#include "config/error.h"
#include "plugin/input/document_names.h"
#include "plugin/store/database.h"

namespace kindred {
namespace {

/// The documents that have one of the ids, ascending. Counts the ids that none has.
std::set<Xapian::docid> find(const Xapian::Database& database, const IndexSettings& settings,
                             std::span<const std::string> ids, std::uint64_t& unknown) {
  std::set<Xapian::docid> docids;
  for (const std::string& id : std::set<std::string>(ids.begin(), ids.end())) {
    const auto found = documents_with_id(database, id, settings);
    unknown += found.empty() ? 1 : 0;
    docids.insert(found.begin(), found.end());
  }
  return docids;
}

}  // namespace

DeletionReport delete_documents(Engine& engine, std::span<const std::string> ids) {
  const std::string& path = engine.path();
  const Settings& settings = engine.settings();
  if (path.empty()) throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  check_may_write(path, settings.index);
  Xapian::WritableDatabase database = open_writable_database(path, settings.write);
  DeletionReport report;
  try {
    const std::set<Xapian::docid> docids = find(database, settings.index, ids, report.unknown);
    report.deleted = docids.size();
    check_values_of(database, path, settings, {docids.begin(), docids.end()});
    database.begin_transaction();
    for (const Xapian::docid docid : docids) database.delete_document(docid);
    database.commit_transaction();
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot delete documents");
  }
  return report;
}

}  // namespace kindred
