#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kindred {

/// The results of finished tasks in a file, so that a command that ended early need not compute
/// them again. Each has a checksum: what a process that was killed left unfinished is dropped. All
/// members may be called from several threads at once.
class Journal {
 public:
  /// Opens the journal at `path`, or makes one. Results that it holds for another `identity` are
  /// dropped. @throws Error kDatabase if the file cannot be read or written, or if another process
  /// uses it.
  Journal(std::string path, std::string_view identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The result of a task of a step, if it was finished.
  std::optional<std::string> find(const std::string& step, std::uint64_t task) const;

  /// Keeps a result. @throws Error kDatabase if it cannot be written.
  void add(const std::string& step, std::uint64_t task, std::string_view result);

  /// How many results the file held when it was opened.
  std::size_t found() const { return found_; }

  /// Removes the file: the command has ended well.
  void remove();

 private:
  using Key = std::pair<std::string, std::uint64_t>;

  void read(std::string_view identity);
  void write(std::string_view bytes);
  [[noreturn]] void refuse(const std::string& what) const;

  const std::string path_;
  int file_ = -1;
  std::size_t found_ = 0;
  mutable std::mutex mutex_;
  std::map<Key, std::string> results_;
};

}  // namespace kindred
