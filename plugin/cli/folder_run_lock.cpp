#include "plugin/cli/folder_run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

}  // namespace

FolderRunLock::FolderRunLock(const std::string& database)
    : path_(database),
      is_made_(::mkdir(database.c_str(), 0755) == 0),
      lock_(open_folder(database)) {
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  tell("kindred: waits for another run that indexes folders into " + database);
  while (::flock(lock_, LOCK_EX) != 0 && errno == EINTR) continue;
}

FolderRunLock::~FolderRunLock() {
  if (is_made_) ::rmdir(path_.c_str());  // fails if it is an index
}

}  // namespace kindred::cli
