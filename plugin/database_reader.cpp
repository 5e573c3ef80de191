#include "plugin/database_reader.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <thread>

#include "plugin/database.h"

namespace kindred {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestWait{250};
constexpr int kBlindAttempts = 8;  // where nothing tells whether the database has moved on

/// What failed to be read, as ours; the exception itself if it does not come from reading.
Error reading_error(const std::string& doing) {
  try {
    throw;
  } catch (const Error& e) {
    if (e.code() == Errc::kCorrupt) return Error(Errc::kCorrupt, doing + ": " + e.what());
    throw;
  } catch (const Xapian::Error& e) {
    return database_error(e, doing);
  } catch (const std::length_error& e) {  // Xapian has believed a length
    return Error(Errc::kCorrupt, doing + ": the database is damaged: " + e.what());
  } catch (const std::out_of_range& e) {
    return Error(Errc::kCorrupt, doing + ": the database is damaged: " + e.what());
  } catch (const std::bad_alloc&) {  // or there is no memory
    return Error(Errc::kOutOfMemory, doing + ": out of memory");
  }
}

}  // namespace

DatabaseReader::DatabaseReader(std::string path, milliseconds patience)
    : path_(std::move(path)), patience_(patience) {
  follow(*path_ + ": cannot open the database");
}

DatabaseReader::DatabaseReader(const Xapian::Database& opened, milliseconds patience)
    : patience_(patience), database_(opened) {
  identity_ = {database_.get_uuid(), revision_of(database_)};
}

/// The header of a glass database, which every commit replaces as a whole. "" for other databases.
std::string DatabaseReader::stamp() const {
  if (!path_) return {};
  std::ifstream file(*path_ + "/iamglass", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool DatabaseReader::overtaken() const { return !stamp_.empty() && stamp() != stamp_; }

/// After a failure Xapian's reopen() may find nothing to do and leave tables of two revisions. So
/// it is only for what cannot be opened anew.
void DatabaseReader::open() {
  stamp_ = stamp();
  if (path_) {
    database_ = open_database(*path_);
  } else {
    database_.reopen();
  }
  identity_ = {database_.get_uuid(), revision_of(database_)};
}

bool DatabaseReader::follow(const std::string& doing) {
  if (!stamp_.empty() && !overtaken()) return false;
  const Identity before = identity_;
  for (Attempts attempts(*this, doing);;) {
    try {
      open();
      return identity_.revision == 0 || !(identity_ == before);
    } catch (...) {
      attempts.judge();
    }
  }
}

DatabaseReader::Attempts::Attempts(DatabaseReader& reader, const std::string& doing)
    : reader_(reader), doing_(doing), start_(steady_clock::now()) {}

void DatabaseReader::Attempts::begin() {
  if (!failure_) return;
  const Identity before = reader_.identity_;
  reader_.open();
  const bool is_known = !reader_.stamp_.empty() || before.revision == 0;
  if (!is_known && reader_.identity_ == before) throw *failure_;
}

void DatabaseReader::Attempts::judge() {
  failure_ = reading_error(doing_);
  ++failed_;
  const bool is_blind = reader_.stamp_.empty();
  if (is_blind ? failed_ >= kBlindAttempts : !reader_.overtaken()) throw *failure_;
  if (steady_clock::now() - start_ > reader_.patience_) {
    throw Error(Errc::kDatabase,
                doing_ + ": a writer commits faster than the database can be read: gave up after " +
                    std::to_string(failed_) + " attempts; the last one: " + failure_->what());
  }
  wait();
}

void DatabaseReader::Attempts::wait() {
  std::this_thread::sleep_for(
      std::min(kLongestWait, milliseconds(1) * (1 << std::min(failed_ - 1, 10))));
}

}  // namespace kindred
