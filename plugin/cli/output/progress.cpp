#include "plugin/cli/output/progress.h"

#include <unistd.h>
#include <iostream>
#include <utility>

#include "config/shown.h"
#include "plugin/cli/output/messages.h"

namespace kindred::cli {

Progress::Progress(const std::string& mode, std::string done)
    : done_(std::move(done)),
      lines_(mode == "always"),
      terminal_(mode == "auto" && isatty(STDERR_FILENO) == 1) {}

void Progress::finish() {
  if (open_) std::cerr << '\n';
  open_ = false;
}

void Progress::report(std::uint64_t documents) {
  if (documents == last_) return;
  last_ = documents;
  show(done_ + " " + std::to_string(documents) + " documents");
}

void Progress::report(const std::string& doing, std::uint64_t documents) {
  if (doing != done_) finish();
  done_ = doing;
  last_ = documents;
  show(doing + ": " + std::to_string(documents) + " documents");
}

void Progress::step(const std::string& text) {
  if (!lines_ && !terminal_) return;
  finish();
  tell(text);
}

void Progress::show(const std::string& text) {
  if (lines_) tell(text);
  if (!terminal_) return;
  std::cerr << '\r' + shown(text) << std::flush;
  open_ = true;
}

void add_progress_option(Command command, std::string& mode) {
  command
      .add_option("--progress", mode,
                  "Report progress on standard error; auto: if that is a terminal")
      .type_name("WHEN")
      .capture_default_str()
      .choices({"auto", "always", "never"});
}

}  // namespace kindred::cli
