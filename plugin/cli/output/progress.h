#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "plugin/input/record_reader.h"

namespace kindred::cli {

/// Reports on standard error how many documents are done: on a terminal on one line that is
/// overwritten, or, if asked to, on a new line each time.
class Progress {
 public:
  /// `mode`: "auto" (only if standard error is a terminal), "always" (plain lines), "never".
  /// `done`: what was done to the documents, for instance "committed". `things`: what
  /// report_share() counts instead of them.
  Progress(const std::string& mode, std::string done, std::string things = "documents");
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports a new number. If it is the last one again, nothing is shown.
  void report(std::uint64_t documents);
  /// Reports how many of all documents are done, their share, and the time left, from how long
  /// those since the first such report took. On a terminal it is shown once two seconds have
  /// passed since the Progress was made, and a few times a second.
  void report_share(std::uint64_t documents, std::uint64_t all);
  /// The same of documents whose number is not known, but how much of their file is read, in bytes.
  /// Of a file without a size, such as a pipe, only their number is shown.
  void report_read(std::uint64_t documents, const RecordReader::Position& position);
  /// Reports what is done now, and the share and the time left of all the work that it is part of.
  /// `doing`: what it is, and after a colon what may be said of it; another one begins a new line.
  void report_work(const std::string& doing, std::uint64_t done, std::uint64_t all);
  /// Reports a step as a line that stays, on a terminal too.
  void step(const std::string& text);
  /// Ends the changing line, so that other text can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_shown() const { return lines_ || terminal_; }
  void show_share(const std::string& text, std::uint64_t done, std::uint64_t all);
  void show(const std::string& text);
  std::string time_left(std::uint64_t done, std::uint64_t all) const;

  std::string done_;
  const std::string things_;
  bool lines_;
  bool terminal_;
  std::uint64_t last_ = 0;  // reported last
  std::string text_;        // that was reported with it
  bool open_ = false;       // the overwritten line still lacks its end
  std::size_t width_ = 0;   // of what that line shows
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;       // when the latest share was
  Clock::time_point first_time_;  // of the first share
  std::uint64_t first_done_ = 0;  // that it reported
  bool has_first_ = false;
};

/// The mode for a command that writes its answers to `out` meanwhile: "never" if that is a
/// terminal, where they show the progress themselves, else "auto".
std::string progress_beside(const std::ostream& out);

}  // namespace kindred::cli
