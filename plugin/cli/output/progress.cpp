#include "plugin/cli/output/progress.h"

#include <unistd.h>
#include <cmath>
#include <iostream>
#include <utility>

#include "config/shown.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kSilent{2};          // before the first share is shown
constexpr Seconds kBetweenShares{.2};  // on a terminal

/// "45 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

Progress::Progress(const std::string& mode, std::string done, std::string things)
    : done_(std::move(done)),
      things_(std::move(things)),
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

void Progress::report_share(std::uint64_t documents, std::uint64_t all) {
  if (!is_shown()) return;
  show_share(done_ + " " + std::to_string(documents) + " of " + std::to_string(all) + " " + things_,
             documents, all);
}

void Progress::report_read(std::uint64_t documents, const RecordReader::Position& position) {
  if (!is_shown()) return;
  if (position.all == 0) {
    report(documents);
  } else {
    show_share(done_ + " " + std::to_string(documents) + " " + things_, position.read,
               position.all);
  }
}

void Progress::report_work(const std::string& doing, std::uint64_t done, std::uint64_t all) {
  if (!is_shown()) return;
  const auto what = [](const std::string& text) {
    return text.substr(0, text.find(':'));
  };
  if (what(doing) != what(text_)) finish();
  show_share(doing, done, all);
}

/// Shows what is done, its share, and the time left.
void Progress::show_share(const std::string& text, std::uint64_t done, std::uint64_t all) {
  if (has_first_ && done == last_ && text == text_) return;

  // The time left is counted from the first share on, or from the last time that it began anew:
  // what came before it, such as opening files, says nothing of the pace.
  const Clock::time_point now = Clock::now();
  if (!has_first_ || done < last_) {
    has_first_ = true;
    first_time_ = now;
    first_done_ = done;
  }
  last_ = done;
  text_ = text;

  // A short run shows nothing, and a terminal gets no more lines than people can read.
  if (!lines_ && (now - start_ < kSilent || (now - shown_ < kBetweenShares && done < all))) return;
  shown_ = now;

  const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
  show(text + ", " + std::to_string(percent) + " %" + time_left(done, all));
}

std::string Progress::time_left(std::uint64_t done, std::uint64_t all) const {
  if (done <= first_done_ || done >= all) return "";
  const double took = Seconds(Clock::now() - first_time_).count();
  const double share = static_cast<double>(all - done) / static_cast<double>(done - first_done_);
  return ", " + duration_text(took * share) + " left";
}

void Progress::step(const std::string& text) {
  if (!is_shown()) return;
  finish();
  tell(text);
}

void Progress::show(const std::string& text) {
  if (lines_) tell(text);
  if (!terminal_) return;

  // A line takes the place of the last one, with blanks over what was longer. One column stays
  // free, because some terminals break a full line.
  const std::size_t columns = terminal_width(STDERR_FILENO);
  std::string line = shown(text);
  if (columns > 1) line = cut_to_width(line, columns - 1);
  const std::size_t width = display_width(line);
  std::string rest;
  if (open_ && width_ > width) rest.assign(width_ - width, ' ');

  std::cerr << '\r' + line + rest << std::flush;
  width_ = width;
  open_ = true;
}

std::string progress_beside(const std::ostream& out) {
  if (&out == &std::cout && isatty(STDOUT_FILENO) == 1) return "never";
  return "auto";
}

}  // namespace kindred::cli
