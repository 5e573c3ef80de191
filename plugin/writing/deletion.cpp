#include "plugin/writing/deletion.h"

#include <set>

#include "config/error.h"
#include "plugin/input/document_data.h"
#include "plugin/store/database.h"
#include "plugin/store/value_check.h"
#include "plugin/store/writable_database.h"

namespace kindred {
namespace {

/// The documents that have one of the ids or docids. Counts those that none has.
std::set<Xapian::docid> find_all(const Xapian::Database& database, const IndexSettings& settings,
                                 std::span<const std::string> ids,
                                 std::span<const Xapian::docid> docids, std::uint64_t& unknown) {
  std::set<Xapian::docid> all;
  for (const std::string& id : std::set<std::string>(ids.begin(), ids.end())) {
    const auto found = documents_with_id(database, id, settings);
    if (found.size() > 1) throw ambiguous_id(id, found);
    if (found.empty()) ++unknown;
    all.insert(found.begin(), found.end());
  }

  for (const Xapian::docid docid : std::set<Xapian::docid>(docids.begin(), docids.end())) {
    if (has_document(database, docid))
      all.insert(docid);
    else
      ++unknown;
  }

  return all;
}

}  // namespace

DeletionReport delete_documents(Engine& engine, std::span<const std::string> ids,
                                std::span<const Xapian::docid> numbers) {
  const std::string& path = engine.path();
  const Settings& settings = engine.settings();
  if (path.empty()) throw Error(Errc::kUnsupported, "expected an engine that was opened by path");
  check_may_write(path, settings);

  Xapian::WritableDatabase database = open_writable_database(path, settings.write);
  return with_database_errors(path + ": cannot delete documents", [&] {
    // All of them or none: what is not there was counted before.
    DeletionReport report;
    const auto docids = find_all(database, settings.index, ids, numbers, report.unknown);
    report.deleted = docids.size();
    check_values_of(database, path, settings, {docids.begin(), docids.end()});

    database.begin_transaction();
    for (const Xapian::docid docid : docids) database.delete_document(docid);
    database.commit_transaction();

    return report;
  });
}

}  // namespace kindred
