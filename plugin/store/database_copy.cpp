#include "plugin/store/database_copy.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::uintmax_t kSmallCopy = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kLargestCopy = std::uintmax_t{512} << 20;
constexpr std::chrono::seconds kBusy{2};  // after a commit
constexpr const char* kHeader = "iamglass";
constexpr std::size_t kLargestHeader = 4096;
constexpr const char* kLists = "postlist.glass";

}  // namespace

std::string glass_header(const std::string& path) {
  try {
    return read_regular_file(path + "/" + kHeader, "the header of the database", kLargestHeader)
        .bytes;
  } catch (const Error&) {
    return "";
  }
}

bool should_copy_lists(const std::string& path, bool must) {
  std::error_code absent;
  const auto committed = std::filesystem::last_write_time(path + "/" + kHeader, absent);
  if (absent) return false;
  const std::uintmax_t size = std::filesystem::file_size(path + "/" + kLists, absent);
  if (absent || size > (must ? kLargestCopy : kSmallCopy)) return false;
  return must || std::filesystem::file_time_type::clock::now() - committed < kBusy;
}

/// The files are removed as soon as they are open.
Xapian::Database open_copied_lists(const std::string& path) {
  try {
    const PrivateFolder folder;
    const std::string header = glass_header(path);
    std::filesystem::copy_file(path + "/" + kLists, folder / kLists);
    if (glass_header(path) != header) {
      throw Xapian::DatabaseModifiedError("the revision was discarded while it was copied");
    }
    std::ofstream(folder / kHeader, std::ios::binary) << header;
    return Xapian::Database(folder.path());
  } catch (const std::system_error& e) {  // the base of filesystem_error, too
    throw Error(Errc::kDatabase, path + ": cannot copy the posting lists: " + e.what());
  }
}

}  // namespace kindred
