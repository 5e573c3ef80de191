#pragma once

#include <string>

#include "config/regular_file.h"

namespace kindred::cli {

/// Of two runs with the same index, one waits here. The lock is that of the folder of the index,
/// which is made if there is none, as Xapian would make it, and removed if nothing came into it.
class FolderRunLock {
 public:
  explicit FolderRunLock(const std::string& database);
  ~FolderRunLock();
  FolderRunLock(const FolderRunLock&) = delete;
  FolderRunLock& operator=(const FolderRunLock&) = delete;

 private:
  const std::string path_;
  const bool is_made_;
  const OpenFile lock_;
};

}  // namespace kindred::cli
