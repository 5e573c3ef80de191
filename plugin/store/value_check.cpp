#include "plugin/store/value_check.h"

#include <algorithm>

#include "config/error.h"
#include "plugin/store/posting_reader.h"

namespace kindred {
namespace {

constexpr Xapian::valueno kUsualSlots = 256;  // programs number their slots from 0

/// At most this many values are in a chunk of Xapian, which has at most 2,000 bytes, two or more
/// per value.
constexpr int kChunk = 1000;

void check_docid(const ValueReader& values, Xapian::valueno slot, Xapian::docid last) {
  if (values.docid() <= last) return;
  throw Error(Errc::kCorrupt, "value slot " + std::to_string(slot) + " is damaged: it has docid " +
                                  std::to_string(values.docid()) + ", which no document has");
}

void check_all(const Xapian::Database& database, Xapian::valueno slot) {
  const Xapian::docid last = database.get_lastdocid();
  for (ValueReader values(database, slot); !values.at_end(); values.next())
    check_docid(values, slot, last);
}

/// Reads the chunks that hold these documents, which ascend.
void check_chunks(const Xapian::Database& database, Xapian::valueno slot,
                  const std::vector<Xapian::docid>& docids) {
  const Xapian::docid last = database.get_lastdocid();
  ValueReader values(database, slot);
  for (const Xapian::docid docid : docids) {
    values.skip_to(docid);
    for (int i = 0; i < kChunk && !values.at_end(); ++i, values.next())
      check_docid(values, slot, last);
  }
}

/// Calls check(slot) for each slot that is to be checked.
template <typename Check>
void each_slot(const std::string& path, const Settings& settings, Check&& check) {
  Xapian::valueno slot = 0;
  try {
    for (; slot < kUsualSlots; ++slot) check(slot);
    check(slot = static_cast<Xapian::valueno>(settings.labels.prediction_slot));
    check(slot = static_cast<Xapian::valueno>(settings.topics.slot));
    check(slot = static_cast<Xapian::valueno>(settings.related.slot));
  } catch (const Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: " + e.what());
  } catch (const Xapian::Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: value slot " + std::to_string(slot) +
                                    " is damaged: " + e.get_description());
  }
}

}  // namespace

void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings) {
  each_slot(path, settings, [&](Xapian::valueno slot) { check_all(database, slot); });
}

void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids) {
  std::sort(docids.begin(), docids.end());
  each_slot(path, settings, [&](Xapian::valueno slot) { check_chunks(database, slot, docids); });
}

}  // namespace kindred
