#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace kindred::cli {

/// Tells on standard error how many documents are on disk: on one line that keeps changing if that
/// is a terminal, or a line a commit if asked to.
class Progress {
 public:
  /// `mode`: "auto" (if standard error is a terminal), "always" (plain lines), "never".
  explicit Progress(const std::string& mode);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports a new number; the same one again is no news.
  void committed(std::uint64_t documents);
  /// Ends the changing line, so that other text can follow.
  void finish();

 private:
  bool lines_;
  bool terminal_;
  std::uint64_t last_ = 0;  // reported last
  bool open_ = false;       // a changing line stands without its end
};

void add_progress_option(CLI::App& command, std::string& mode);

}  // namespace kindred::cli
