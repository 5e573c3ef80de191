#pragma once

#include <xapian.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "config/error.h"
#include "gpu/pool.h"

namespace search_server {

/// Databases for many threads, each at the latest revision when it is lent.
class Databases {
 public:
  /// @throws Xapian::Error if the database `exists` and cannot be opened.
  Databases(std::string path, bool exists);

  /// Calls ask(const Xapian::Database&), and again at a later revision if a writer has overwritten
  /// the one that it reads, at most some times. What it returns must hold nothing of Xapian: a
  /// document shares the database, which is another thread's by then. @throws Xapian::Error, and
  /// what `ask` throws.
  template <typename Ask>
  auto with(Ask&& ask) {
    for (int tries = 1;; ++tries) {
      std::unique_ptr<Xapian::Database> lent = take();
      try {
        auto answer = ask(std::as_const(*lent));
        pool_.give_back(std::move(lent));
        return answer;
      } catch (const Xapian::DatabaseError&) {
        // A reader of an overwritten revision may also find what looks like damage.
        if (tries == kTries) throw;
      } catch (const kindred::Error& e) {
        if (tries == kTries || e.code() != kindred::Errc::kCorrupt) throw;
      } catch (...) {
        pool_.give_back(std::move(lent));
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1 << tries));
    }
  }

  /// True if somebody has committed since the last call. For one thread.
  bool moved();

 private:
  static constexpr int kTries = 6;

  Xapian::Database open() const;
  std::unique_ptr<Xapian::Database> take();

  const std::string path_;
  std::optional<Xapian::Database> watched_;  ///< by moved()
  kindred::Pool<Xapian::Database> pool_;
};

}  // namespace search_server
