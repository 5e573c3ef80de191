#include "plugin/store/value_check.h"

#include <algorithm>
#include <cstdint>

#include "config/error.h"
#include "plugin/store/readers.h"

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

/// Reads the chunks that hold these documents, which ascend.
void check_chunks(const Xapian::Database& database, Xapian::valueno slot,
                  const std::vector<Xapian::docid>& docids) {
  const Xapian::docid last = database.get_lastdocid();
  ValueReader values(database, slot);

  for (const Xapian::docid docid : docids) {
    values.skip_to(docid);
    // Where a chunk begins is not told, so as many values are read as it can have.
    for (int i = 0; i < kChunk && !values.at_end(); ++i) {
      check_docid(values, slot, last);
      values.next();
    }
  }
}

/// Calls check(slot) for each slot that is to be checked.
template <typename Check>
void each_slot(const std::string& path, const Settings& settings, Check&& check) {
  Xapian::valueno slot = 0;

  try {
    for (; slot < kUsualSlots; ++slot) check(slot);

    // Those that Kindred writes may have other numbers.
    for (const std::int64_t own :
         {settings.labels.prediction_slot, settings.topics.slot, settings.related.slot}) {
      slot = static_cast<Xapian::valueno>(own);
      check(slot);
    }
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
  const Xapian::docid last = database.get_lastdocid();
  each_slot(path, settings, [&](Xapian::valueno slot) {
    for (ValueReader values(database, slot); !values.at_end(); values.next())
      check_docid(values, slot, last);
  });
}

void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids) {
  std::sort(docids.begin(), docids.end());
  each_slot(path, settings, [&](Xapian::valueno slot) {
    check_chunks(database, slot, docids);
  });
}

}  // namespace kindred
