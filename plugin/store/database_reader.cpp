#include "plugin/store/database_reader.h"

#include <fcntl.h>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "config/private_folder.h"
#include "config/regular_file.h"
#include "plugin/store/database.h"
#include "plugin/store/shard_addresses.h"

namespace kindred {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestWait{250};
constexpr int kBlindAttempts = 8;  // if nothing tells whether the database has moved on

/// The exception in flight as an Error about reading. If it does not come from reading, it is
/// thrown on.
Error reading_error(const std::string& doing) {
  try {
    throw;
  } catch (const Error& e) {
    if (e.code() == Errc::kCorrupt) return Error(Errc::kCorrupt, doing + ": " + e.what());
    throw;
  } catch (const Xapian::Error& e) {
    return database_error(e, doing);
  } catch (const std::length_error& e) {  // Xapian has trusted a damaged length
    return Error(Errc::kCorrupt, doing + ": the database is damaged: " + e.what());
  } catch (const std::out_of_range& e) {
    return Error(Errc::kCorrupt, doing + ": the database is damaged: " + e.what());
  } catch (const std::bad_alloc&) {  // a damaged length, or really no memory
    return Error(Errc::kOutOfMemory, doing + ": out of memory");
  }
}

constexpr std::uintmax_t kSmallCopy = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kLargestCopy = std::uintmax_t{512} << 20;
constexpr std::chrono::seconds kBusy{2};  // after a commit
constexpr const char* kHeader = "iamglass";
constexpr std::size_t kLargestHeader = 4096;
constexpr const char* kLists = "postlist.glass";

/// The header of a database, or one after the other those of the shards that a stub lists. Nothing
/// if one of them has none, as a single file and a remote database.
FileContent shard_headers(const std::string& path) {
  FileContent all = glass_header(path);
  if (!all.bytes.empty()) return all;

  // A commit to any of the shards changes its header, and so the whole.
  std::string ignored;
  const auto addresses = shard_addresses(path, ignored);
  for (const ShardAddress& address : addresses.value_or(std::vector<ShardAddress>())) {
    const FileContent header = address.is_remote() ? FileContent{} : glass_header(address.folder);
    if (header.bytes.empty()) return {};
    all.bytes += header.bytes;
    all.stamp += header.stamp + ';';
  }
  return all;
}

bool should_copy_lists(const std::string& path, bool must) {
  std::error_code absent;
  const auto committed = std::filesystem::last_write_time(path + "/" + kHeader, absent);
  if (absent) return false;

  const std::uintmax_t size = std::filesystem::file_size(path + "/" + kLists, absent);
  if (absent || size > (must ? kLargestCopy : kSmallCopy)) return false;
  return must || std::filesystem::file_time_type::clock::now() - committed < kBusy;
}

}  // namespace

DatabaseReader::DatabaseReader(std::string path, Extent extent, milliseconds patience)
    : path_(std::move(path)), extent_(extent), patience_(patience) {
  follow(*path_ + ": cannot open the database");
}

DatabaseReader::DatabaseReader(const Xapian::Database& opened) : database_(opened) {
  identity_ = {database_.get_uuid(), revision_of(database_)};
}

FileContent DatabaseReader::header() const { return path_ ? shard_headers(*path_) : FileContent{}; }

bool DatabaseReader::overtaken() const {
  return !is_copy_ && !header_.bytes.empty() && header() != header_;
}

/// After a failure, Xapian's reopen() may find nothing to do and leave tables of two revisions. So
/// it is used only for a database that cannot be opened a second time.
void DatabaseReader::open(int failed) {
  // The header is read before the database is opened. A commit between the two then looks like one
  // that came later, and is not missed.
  header_ = header();
  is_copy_ = false;
  ++openings_;

  if (!path_) {
    database_.reopen();
  } else if (!open_copy(failed)) {
    database_ = open_database(*path_);
  }

  identity_ = {database_.get_uuid(), revision_of(database_)};
}

bool DatabaseReader::open_copy(int failed) {
  if (extent_ != Extent::kLists) return false;
  const auto copy = copied_if_busy(*path_, failed >= kDirectAttempts);
  if (copy) database_ = *copy;
  is_copy_ = copy.has_value();
  return is_copy_;
}

bool DatabaseReader::follow(const std::string& doing) {
  if (!header_.bytes.empty() && !overtaken()) return false;

  // Another header may be of the same revision, if the files were copied. A revision that is not
  // known may be any.
  const Identity before = identity_;
  Attempts attempts(*this, doing);
  while (true) {
    try {
      open(attempts.failed());
      return identity_.revision == 0 || !(identity_ == before);
    } catch (...) {
      attempts.judge();
    }
  }
}

void DatabaseReader::catch_up(const std::string& doing) {
  const FileContent now = header();
  if (!now.bytes.empty() && now == header_) return;

  // A reader that has not failed has tables of one revision, which reopen() brings up to date.
  try {
    database_.reopen();
    const Identity found = {database_.get_uuid(), revision_of(database_)};
    if (found.uuid == identity_.uuid) {
      header_ = now;
      identity_ = found;
      return;
    }
  } catch (const Xapian::Error&) {  // a server has closed
  }
  follow(doing);  // another database is at the path now
}

void DatabaseReader::Attempts::begin() {
  if (!failure_) return;

  const Identity before = reader_.identity_;
  reader_.open(failed_);

  // Where there is no header, the revision tells that nobody has written: the failure is real.
  const bool is_known = !reader_.header_.bytes.empty() || before.revision == 0;
  if (!is_known && reader_.identity_ == before) throw *failure_;
}

void DatabaseReader::Attempts::judge() {
  failure_ = reading_error(doing_);
  ++failed_;

  // A failure is the fault of a writer only if one has committed since the database was opened.
  // Where nobody can tell that, a few attempts are made.
  const bool is_blind = reader_.header_.bytes.empty();
  const bool may_go_well = is_blind ? failed_ < kBlindAttempts : reader_.overtaken();
  if (!may_go_well) throw *failure_;

  if (steady_clock::now() - start_ > reader_.patience_) {
    throw Error(Errc::kDatabase,
                doing_ + ": a writer commits faster than the database can be read: gave up after " +
                    std::to_string(failed_) + " attempts; the last one: " + failure_->what());
  }

  // A fast writer is given time to finish: each wait is twice as long as the one before.
  std::this_thread::sleep_for(
      std::min(kLongestWait, milliseconds(1) * (1 << std::min(failed_ - 1, 10))));
}

FileContent glass_header(const std::string& path) {
  try {
    return read_regular_file(path + "/" + kHeader, "the header of the database", kLargestHeader);
  } catch (const Error&) {
    return {};
  }
}

std::shared_ptr<const OpenFile> open_glass_header(const std::string& path) {
  return std::make_shared<const OpenFile>(
      ::open((path + "/" + kHeader).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

std::optional<Xapian::Database> copied_if_busy(const std::string& path, bool must) {
  if (!should_copy_lists(path, must)) return std::nullopt;
  try {
    return open_copied_lists(path);
  } catch (const Error&) {  // there is no room for the copy
    return std::nullopt;
  }
}

/// The files are removed as soon as they are open.
Xapian::Database open_copied_lists(const std::string& path) {
  try {
    const PrivateFolder folder;
    const FileContent header = glass_header(path);

    // The copy is one revision if no commit came meanwhile, since the header tells of each.
    std::filesystem::copy_file(path + "/" + kLists, folder / kLists);
    if (glass_header(path) != header) {
      throw Xapian::DatabaseModifiedError("the revision was discarded while it was copied");
    }

    std::ofstream(folder / kHeader, std::ios::binary) << header.bytes;
    return Xapian::Database(folder.path());
  } catch (const std::system_error& e) {  // the base of filesystem_error, too
    throw Error(Errc::kDatabase, path + ": cannot copy the posting lists: " + e.what());
  }
}

}  // namespace kindred
