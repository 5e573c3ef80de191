#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "config/api.h"
#include "config/guarded_file.h"

namespace kindred {

/// A new file that takes the place of another in one step. It is written beside the old one, in the
/// same folder, under a name that no other call uses, and then renamed. So a reader finds either
/// the whole old file or the whole new one. Also removes the unfinished files that killed processes
/// left for the same file; it knows them because nobody holds them locked.
class KINDRED_API Replacement {
 public:
  /// Makes an empty file beside `replaced`. If that is there, the new one gets its permissions as
  /// far as possible, else those of the umask. Check fault() before writing.
  /// @throws Error as GuardedFile::check() and give_away().
  explicit Replacement(const GuardedFile& replaced);

  /// Why the file could not be made; no error if it was.
  std::error_code fault() const { return fault_; }
  int descriptor() const { return unfinished_.file; }  ///< to be written through this

  /// The new file by its name, to be read back.
  GuardedFile written() const { return {replaced_.folder(), unfinished_.name, replaced_.owners()}; }

  /// Renames it, and syncs the folder. Returns what failed, if anything did; the old file is then
  /// unchanged. @throws Error as GuardedFile::check(), if something else took its place meanwhile.
  [[nodiscard]] std::error_code place();

 private:
  /// The new file, removed at the end unless it took its place: then it has no name.
  struct Unfinished {
    explicit Unfinished(GuardedFolder in) : folder(std::move(in)) {}
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    const GuardedFolder folder;
    std::string name;
    int file = -1;
  };

  void make();

  const GuardedFile replaced_;
  Unfinished unfinished_;
  std::error_code fault_;
};

/// True for 16 hexadecimal digits in lower case.
bool is_hexadecimal_name(std::string_view name);

/// True for the name of an unfinished file that is to replace the one called `replaced`.
bool is_unfinished_name(std::string_view name, std::string_view replaced);

}  // namespace kindred
