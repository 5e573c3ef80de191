#include "plugin/store/index_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>

#include "config/regular_file.h"

namespace kindred {
namespace {

std::error_code last_fault() { return {errno, std::generic_category()}; }

/// Writes a file and syncs it to disk.
std::error_code write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return last_fault();
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 ? std::error_code() : last_fault();
}

/// Syncs the folder of a file, so that its renaming or removal is on disk.
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

bool can_write_beside(const std::string& database) {
  const std::filesystem::path path = index_file_path(database, "tuning");
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  return ::access(folder.c_str(), W_OK) == 0;
}

std::error_code replace_index_file(const std::string& path, std::string_view bytes) {
  Replacement replacement(path);
  std::error_code fault = replacement.fault();
  if (!fault) fault = write_whole(replacement.descriptor(), bytes);
  return fault ? fault : place_index_file(replacement, path);
}

std::error_code place_index_file(Replacement& written, const std::string& path) {
  const std::error_code fault = written.place();
  if (!fault) sync_folder_of(path);
  return fault;
}

bool remove_index_file(const std::string& path, std::error_code& fault) {
  const bool removed = std::filesystem::remove(path, fault);
  if (removed) sync_folder_of(path);
  return removed;
}

}  // namespace kindred
