#pragma once

#include <string>
#include <system_error>

#include "config/api.h"

namespace kindred {

/// A file on its way into the place of another: written aside, in the same folder, under a name
/// that no other call has, then renamed, so that whoever reads finds the old one or the new one.
/// Makes away with what killed processes left of the same file: what nobody holds locked.
class KINDRED_API Replacement {
 public:
  /// Makes an empty file beside `path`, with the owner and the permissions of the file that is
  /// there, else as the umask says. Look at fault() before writing.
  explicit Replacement(const std::string& path);

  /// Removes the file unless it took its place.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Why there is no file to write to, if there is none.
  std::error_code fault() const { return fault_; }
  const std::string& name() const { return name_; }  ///< to be opened and written
  int descriptor() const { return file_; }           ///< or written to through this

  /// Puts it in its place. What failed, if anything did; the old file is then as it was.
  [[nodiscard]] std::error_code place();

 private:
  const std::string path_;
  std::string name_;
  int file_ = -1;
  std::error_code fault_;
};

}  // namespace kindred
