#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace kindred::cli {

/// Tells on standard error how many documents are done: on one line that keeps changing if that is
/// a terminal, or on a line of its own each time if asked to.
class Progress {
 public:
  /// `mode`: "auto" (if standard error is a terminal), "always" (plain lines), "never".
  /// `done`: what was done to the documents, as "committed".
  Progress(const std::string& mode, std::string done);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports a new number; the same one again is no news.
  void report(std::uint64_t documents);
  /// As above, for something else that is being done now.
  void report(const std::string& doing, std::uint64_t documents);
  /// Reports a step as a line that stays, on a terminal too.
  void step(const std::string& text);
  /// Ends the changing line, so that other text can follow.
  void finish();

 private:
  void show(const std::string& text);

  std::string done_;
  bool lines_;
  bool terminal_;
  std::uint64_t last_ = 0;  // reported last
  bool open_ = false;       // a changing line stands without its end
};

void add_progress_option(CLI::App& command, std::string& mode);

}  // namespace kindred::cli
