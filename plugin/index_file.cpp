#include "plugin/index_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "config/error.h"
#include "config/path.h"

namespace kindred {
namespace {

std::error_code last_fault() { return {errno, std::generic_category()}; }

struct FileCloser {
  int file;
  ~FileCloser() { ::close(file); }
};

/// Writes a file and brings it to disk.
std::error_code write_whole(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return last_fault();
  std::error_code fault;
  while (!fault && !bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fault = last_fault();
    }
  }
  if (!fault && ::fsync(file) != 0) fault = last_fault();
  if (::close(file) != 0 && !fault) fault = last_fault();
  return fault;
}

/// A rename or removal is on disk when the file's folder is.
void sync_folder_of(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

std::string index_file_path(const std::string& database, const std::string& name) {
  check_path(database, "a database");
  std::error_code ignored;
  if (std::filesystem::is_directory(database, ignored))
    return (std::filesystem::path(database) / ("kindred." + name)).string();
  return database + ".kindred-" + name;
}

std::string read_index_file(const std::string& path, const std::string& what) {
  const auto fail = [&] {
    throw Error(Errc::kNotFound, path + ": " + what + " cannot be read: " + last_fault().message());
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail();
  const FileCloser closer{file};
  std::string bytes;
  std::array<char, 1 << 16> block;
  ssize_t count = 0;
  while ((count = ::read(file, block.data(), block.size())) != 0) {
    if (count > 0) {
      bytes.append(block.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail();
    }
  }
  return bytes;
}

std::error_code replace_index_file(const std::string& path, std::string_view bytes) {
  const std::string aside = path + ".new-" + std::to_string(getpid());
  std::error_code fault = write_whole(aside, bytes);
  if (!fault && std::rename(aside.c_str(), path.c_str()) != 0) fault = last_fault();
  if (!fault) {
    sync_folder_of(path);
    return {};
  }
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  return fault;
}

bool remove_index_file(const std::string& path, std::error_code& fault) {
  const bool removed = std::filesystem::remove(path, fault);
  if (removed) sync_folder_of(path);
  return removed;
}

}  // namespace kindred
