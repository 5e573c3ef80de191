#include "plugin/store/value_check.h"

#include "config/error.h"
#include "plugin/store/posting_reader.h"

namespace kindred {
namespace {

constexpr Xapian::valueno kUsualSlots = 256;  // what programs number from 0

void check_slot(const Xapian::Database& database, Xapian::valueno slot) {
  const Xapian::docid last = database.get_lastdocid();
  for (ValueReader values(database, slot); !values.at_end(); values.next()) {
    if (values.docid() <= last) continue;
    throw Error(Errc::kCorrupt, "value slot " + std::to_string(slot) +
                                    " is damaged: it has docid " + std::to_string(values.docid()) +
                                    ", which no document has");
  }
}

}  // namespace

void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings) {
  Xapian::valueno slot = 0;
  const auto check = [&](Xapian::valueno number) {
    slot = number;
    check_slot(database, slot);
  };
  try {
    for (Xapian::valueno number = 0; number < kUsualSlots; ++number) check(number);
    check(static_cast<Xapian::valueno>(settings.labels.prediction_slot));
    check(static_cast<Xapian::valueno>(settings.topics.slot));
  } catch (const Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: " + e.what());
  } catch (const Xapian::Error& e) {
    throw Error(Errc::kCorrupt, path + ": cannot write safely: value slot " + std::to_string(slot) +
                                    " is damaged: " + e.get_description());
  }
}

}  // namespace kindred
