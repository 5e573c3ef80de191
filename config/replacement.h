#pragma once

#include <string>
#include <system_error>

#include "config/api.h"

namespace kindred {

/// A new file that takes the place of another in one step. It is written beside the old one, in the
/// same folder, under a name that no other call uses, and then renamed. So a reader finds either
/// the whole old file or the whole new one. Also removes the unfinished files that killed processes
/// left for the same path; it knows them because nobody holds them locked.
class KINDRED_API Replacement {
 public:
  /// Makes an empty file beside `path`. If there is a file at `path`, the new one gets its owner
  /// and permissions as far as possible, else those of the umask. Check fault() before writing.
  explicit Replacement(const std::string& path);

  /// Removes the file unless it took its place.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Why the file could not be made; no error if it was.
  std::error_code fault() const { return fault_; }
  const std::string& name() const { return name_; }  ///< to be opened and written
  int descriptor() const { return file_; }           ///< or written to through this

  /// Renames it to `path`. Returns what failed, if anything did; the old file is then unchanged.
  [[nodiscard]] std::error_code place();

 private:
  const std::string path_;
  std::string name_;
  int file_ = -1;
  std::error_code fault_;
};

}  // namespace kindred
