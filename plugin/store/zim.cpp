#include "plugin/store/zim.h"

#include "config/error.h"

#ifdef KINDRED_WITH_ZIM
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zim/archive.h>
#include <zim/error.h>
#include <zim/item.h>
#include <cerrno>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>
#endif

namespace kindred {

#ifndef KINDRED_WITH_ZIM

Xapian::Database open_zim(const std::string& path) {
  throw Error(Errc::kUnsupported, path +
                                      ": this is a ZIM file, and Kindred was built without libzim"
                                      " (libzim-dev)");
}

std::string zim_title(const std::string&, std::string_view) { return ""; }

#else

namespace {

using ArchivePointer = std::shared_ptr<const zim::Archive>;

/// The result of body(); whatever libzim throws becomes an Error.
template <typename Body>
auto zim_call(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const zim::ZimFileFormatError& e) {
    throw Error(Errc::kCorrupt, path + ": the ZIM file is damaged: " + e.what());
  } catch (const std::exception& e) {
    throw Error(Errc::kDatabase, path + ": cannot read the ZIM file: " + e.what());
  }
}

/// What getDirectAccessInformation() gives: a pair in libzim 8, a struct later.
template <typename Access>
std::pair<std::string, std::uint64_t> location_of(const Access& access) {
  if constexpr (requires { access.first; }) {
    return {access.first, access.second};
  } else {
    return {access.filename, access.offset};
  }
}

/// Where the full-text index lies: the file and the offset in it. The entries that are no pages
/// follow all others, and their paths come without their namespace.
std::pair<std::string, std::uint64_t> index_location(const zim::Archive& archive) {
  const auto location = [](const zim::Entry& entry) {
    return location_of(entry.getItem(true).getDirectAccessInformation());
  };

  if (!archive.hasNewNamespaceScheme()) {
    for (const char* path : {"X/fulltext/xapian", "Z//fulltextIndex/xapian"})
      if (archive.hasEntryByPath(path)) return location(archive.getEntryByPath(path));
    return {};
  }

  // Hidden entries can only be found by their numbers.
  const zim::entry_index_type all = archive.getAllEntryCount();
  const zim::entry_index_type pages = archive.getEntryCount();
  for (zim::entry_index_type i = all; i-- > pages;) {
    const zim::Entry entry = archive.getEntryByPath(i);
    if (entry.getPath() == "fulltext/xapian") return location(entry);
  }
  return {};
}

/// The archive at a path, which stays open until another is asked for or the file is replaced.
ArchivePointer archive_at(const std::string& path) {
  using Identity = std::tuple<std::string, dev_t, ino_t, time_t>;
  static std::mutex mutex;
  static std::pair<Identity, ArchivePointer> last;

  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) throw Error(Errc::kNotFound, path + ": no such database");
  Identity identity{path, about.st_dev, about.st_ino, about.st_mtime};

  // A file that was replaced has another inode, or another time.
  const std::lock_guard lock(mutex);
  if (!last.second || last.first != identity)
    last = {std::move(identity), std::make_shared<const zim::Archive>(path)};
  return last.second;
}

}  // namespace

Xapian::Database open_zim(const std::string& path) {
  const auto [file, offset] = zim_call(path, [&] {
    return index_location(*archive_at(path));
  });
  if (file.empty())
    throw Error(Errc::kNotFound,
                path +
                    ": expected a ZIM file with a full-text index (X/fulltext/xapian), but it was "
                    "made without one");

  // Xapian reads a database inside of another file from the descriptor's offset on.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::lseek(descriptor, static_cast<off_t>(offset), SEEK_SET) < 0) {
    const std::error_code fault(errno, std::generic_category());
    if (descriptor >= 0) ::close(descriptor);
    throw Error(Errc::kDatabase, file + ": cannot open the ZIM file: " + fault.message());
  }
  return Xapian::Database(descriptor);  // which closes it, also if it throws
}

std::string zim_title(const std::string& path, std::string_view entry) {
  return zim_call(path, [&]() -> std::string {
    try {
      return archive_at(path)->getEntryByPath(std::string(entry)).getTitle();
    } catch (const zim::EntryNotFound&) {
      return "";
    }
  });
}

#endif

}  // namespace kindred
