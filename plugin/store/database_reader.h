#pragma once

#include <xapian.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {

/// A database that is read while others may write to it. Blocks that a writer has overwritten look
/// like damage to a reader of an older revision. So when reading fails, the reader first asks
/// whether the database has moved on since it was opened. If so, it opens the database again and
/// reads again, after waits that grow, for a limited time. For one thread at a time.
///
///     DatabaseReader reader("wiki.db");
///     const auto count = reader.read("cannot count the documents", [](const auto& database) {
///       return database.get_doccount();
///     });
class DatabaseReader {
 public:
  static constexpr std::chrono::milliseconds kPatience{20000};
  static constexpr int kDirectAttempts = 2;  ///< to read lists, before they are copied

  /// What is to be read: anything, or all posting lists and values, and nothing else. The lists are
  /// copied first if somebody writes (open_copied_lists() below).
  enum class Extent { kAnything, kLists };

  /// Opens the database at a path. @throws Error kNotFound if there is none; as read().
  explicit DatabaseReader(std::string path, Extent extent = Extent::kAnything,
                          std::chrono::milliseconds patience = kPatience);

  /// Reads a database that the caller has opened. It can be reopened, but not opened a second time.
  explicit DatabaseReader(const Xapian::Database& opened);

  const Xapian::Database& database() const { return database_; }

  /// How often the database was opened anew. Any thread may ask.
  std::uint64_t openings() const { return openings_; }

  /// True if a writer is known to have committed since the database was opened, so that the blocks
  /// that are read may have been overwritten.
  bool overtaken() const;

  /// Opens the current revision. False if nothing has changed, as far as one can tell.
  /// @throws Error as read().
  bool follow(const std::string& doing);

  /// The same in less time, for a reader that has not failed: the database is not opened anew
  /// unless another one is at the path.
  void catch_up(const std::string& doing);

  /// The result of body(database), which may run several times.
  /// @throws Error kCorrupt if the database is damaged; kDatabase for other errors of Xapian, and
  /// if a writer was too fast until the time was over; and whatever else body() throws.
  template <typename Body>
  auto read(const std::string& doing, Body&& body) {
    Attempts attempts(*this, doing);
    while (true) {
      try {
        attempts.begin();
        return body(std::as_const(database_));
      } catch (...) {
        attempts.judge();
      }
    }
  }

 private:
  class Attempts {
   public:
    Attempts(DatabaseReader& reader, const std::string& doing) : reader_(reader), doing_(doing) {}
    void begin();  ///< reopens the database if the attempt before has failed
    void judge();  ///< for a catch clause: throws, or waits if another attempt is worthwhile
    int failed() const { return failed_; }

   private:
    DatabaseReader& reader_;
    const std::string doing_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    int failed_ = 0;
    std::optional<Error> failure_;  ///< the latest
  };

  /// Identifies a revision, as far as Xapian does.
  struct Identity {
    std::string uuid;
    std::uint64_t revision = 0;  ///< 0: unknown
    bool operator==(const Identity&) const = default;
  };

  FileContent header() const;  ///< of all shards; nothing if one has none
  void open(int failed);
  bool open_copy(int failed);

  const std::optional<std::string> path_;
  const Extent extent_ = Extent::kAnything;
  const std::chrono::milliseconds patience_ = kPatience;
  FileContent header_;  ///< of its shards, one after the other, just before it was opened
  bool is_copy_ = false;
  std::atomic<std::uint64_t> openings_ = 0;
  Xapian::Database database_;
  Identity identity_;
};

/// The header of a glass database. Every commit replaces its file by another, so two that are equal
/// to the stamp have nothing between them. Empty if there is none, as for a single file or a stub.
FileContent glass_header(const std::string& path);

/// The file of the header, open; -1 if it cannot be opened.
std::shared_ptr<const OpenFile> open_glass_header(const std::string& path);

/// Copies the posting lists, values and lengths of a glass database, and opens the copy. Copying is
/// some 20 times as fast as reading. The copy is one whole revision, since a writer does not touch
/// the blocks of a revision before it has committed the next one. It has neither documents nor
/// positions nor the terms of documents. It is in the folder for temporary files until it is
/// closed.
/// @throws Xapian::DatabaseModifiedError if a writer committed meanwhile; Error kDatabase if the
/// copy cannot be written; Xapian::Error.
Xapian::Database open_copied_lists(const std::string& path);

/// The same of a glass database whose posting lists should be copied before they are read:
///
/// - if somebody has committed within the last seconds and the lists are small,
/// - if `must` says that they cannot be read in place, and they are not too large.
///
/// Nothing for any other, or if the copy cannot be written. @throws as open_copied_lists().
std::optional<Xapian::Database> copied_if_busy(const std::string& path, bool must);

}  // namespace kindred
