#pragma once

#include <sys/types.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace kindred::attack {

inline constexpr unsigned kTermsOfDocument = 30;
/// The first documents, which every commit replaces: all get the same features, and the label
/// group_label() of the revision.
inline constexpr unsigned kGroup = 10;

std::string group_label(std::uint64_t revision);

/// When revisions were committed, for the process that reads them.
class CommitTimes {
 public:
  using Clock = std::chrono::steady_clock;  // the same for all processes

  void note(std::uint64_t revision);
  std::uint64_t latest() const { return latest_; }
  /// When this revision was committed; the epoch if it was not, or long ago.
  Clock::time_point of(std::uint64_t revision) const;

 private:
  struct Entry {
    std::atomic<std::uint64_t> revision = 0;
    std::atomic<std::int64_t> time = 0;
  };
  std::atomic<std::uint64_t> latest_ = 0;
  std::array<Entry, 65536> entries_;
};

/// Makes a database of `documents` documents, of which each has kTermsOfDocument features and a
/// label.
void make_written_database(const std::string& path, unsigned documents);

/// A process that replaces documents and commits until this is destroyed.
class WriterProcess {
 public:
  /// Waits for `pause` after each commit.
  WriterProcess(const std::string& path, unsigned documents, std::chrono::milliseconds pause);
  ~WriterProcess();
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;

  const CommitTimes& times() const { return *times_; }
  bool is_running() const;

 private:
  CommitTimes* const times_;  ///< memory that both processes share
  const pid_t pid_;
};

/// An engine follows a database to which another process commits all the time, while many threads
/// ask it. The options: --seconds (20), --commit-ms (50), --threads (16), --documents (10000).
///
/// - No call fails.
/// - Each answer is of one revision: the documents of the group are alike, and have its label.
/// - An answer is never older than mirror.max_staleness_ms and two refreshes: one that is running
///   when somebody commits, and the one that comes after it. A refresh is measured on a second
///   engine. Other programs take processor time, too: a look counts as late if it is late by the
///   clock and also without the waits for a processor, of both the follower and the refreshes. Of
///   1000 looks one may be late.
/// - Memory stays flat: its peak in the last third of the time is at most 1.2 times that in the
///   first. A mirror grows until it is made compact, so this is judged only after 300 commits.
///
/// Prints what was measured. Returns 0, or 1 if something did not hold.
int follow_a_writer(int argc, char* argv[]);

}  // namespace kindred::attack
