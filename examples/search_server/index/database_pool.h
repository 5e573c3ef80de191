#pragma once

#include <xapian.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/store/zim.h"

namespace search_server {

/// An opened database at one revision. Belongs to one thread at a time.
struct OpenDatabase {
  explicit OpenDatabase(const std::string& path)
      : database(kindred::is_zim(path) ? kindred::open_zim(path) : Xapian::Database(path)) {}

  std::uint64_t revision() const;  ///< 0 if the database cannot tell
  std::string etag() const;        ///< UUID and revision

  Xapian::Database database;
};

/// Databases for many threads, each at the latest revision when it is lent.
class DatabasePool {
 public:
  explicit DatabasePool(std::string path) : path_(std::move(path)) {}

  /// Calls ask(OpenDatabase&), and again at a later revision if a writer has overwritten the one
  /// that it reads, at most some times. @throws Xapian::Error, and what `ask` throws.
  template <typename Ask>
  auto with(Ask&& ask) {
    for (int tries = 1;; ++tries) {
      Lease lease(*this);
      try {
        return ask(*lease.open);
      } catch (const Xapian::DatabaseError&) {
        // A reader of an overwritten revision may also find what looks like damage.
        if (tries == kTries) throw;
      }
      lease.open = nullptr;
      wait(tries);
    }
  }

 private:
  static constexpr int kTries = 6;

  struct Lease {
    explicit Lease(DatabasePool& from) : pool(from), open(from.take()) {}
    ~Lease() {
      if (open) pool.give_back(std::move(open));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    DatabasePool& pool;
    std::unique_ptr<OpenDatabase> open;
  };

  std::unique_ptr<OpenDatabase> take();
  void give_back(std::unique_ptr<OpenDatabase> open);
  static void wait(int tries);

  const std::string path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<OpenDatabase>> idle_;
};

}  // namespace search_server
