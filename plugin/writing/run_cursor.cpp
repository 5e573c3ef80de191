#include "plugin/writing/run_cursor.h"

#include <cstdint>
#include <utility>

#include "plugin/store/database.h"

namespace kindred {

using nlohmann::json;

RunCursor::RunCursor(std::string key, json identity)
    : key_(std::move(key)), identity_(std::move(identity)) {}

Xapian::docid RunCursor::read(const Xapian::WritableDatabase& database) const {
  const json stored = json::parse(database.get_metadata(key_), nullptr, false);
  if (!stored.is_object() || stored.value("run", json()) != identity_) return 0;
  const std::uint64_t revision = revision_of(database);
  if (revision == 0 || stored.value("revision", json()) != revision) return 0;
  const json docid = stored.value("docid", json());
  return docid.is_number_unsigned() ? docid.get<Xapian::docid>() : 0;
}

void RunCursor::write(Xapian::WritableDatabase& database, Xapian::docid docid) const {
  const json stored = {
      {"run", identity_}, {"revision", revision_of(database) + 1}, {"docid", docid}};
  database.set_metadata(key_, stored.dump(-1, ' ', false, json::error_handler_t::replace));
}

void RunCursor::clear(Xapian::WritableDatabase& database) const {
  if (!database.get_metadata(key_).empty()) database.set_metadata(key_, "");
}

}  // namespace kindred
