#pragma once

#include <cstdint>
#include <string>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// Reports on standard error how many documents are done: on a terminal on one line that is
/// overwritten, or, if asked to, on a new line each time.
class Progress {
 public:
  /// `mode`: "auto" (only if standard error is a terminal), "always" (plain lines), "never".
  /// `done`: what was done to the documents, for instance "committed".
  Progress(const std::string& mode, std::string done);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports a new number. If it is the last one again, nothing is shown.
  void report(std::uint64_t documents);
  /// The same, for something else that is being done now.
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
  bool open_ = false;       // the overwritten line still lacks its end
};

void add_progress_option(Command command, std::string& mode);

}  // namespace kindred::cli
