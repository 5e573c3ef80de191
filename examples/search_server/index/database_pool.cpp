#include "index/database_pool.h"

#include <chrono>
#include <thread>
#include <utility>

namespace search_server {

std::uint64_t OpenDatabase::revision() const {
  try {
    return database.get_revision();
  } catch (const Xapian::InvalidOperationError&) {
    return 0;
  } catch (const Xapian::UnimplementedError&) {
    return 0;
  }
}

std::string OpenDatabase::etag() const {
  std::string etag = "\"";
  etag += database.get_uuid();
  return etag.append("-").append(std::to_string(revision())).append("\"");
}

std::unique_ptr<OpenDatabase> DatabasePool::take() {
  std::unique_ptr<OpenDatabase> open;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      open = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (open) {
    try {
      open->database.reopen();
      return open;
    } catch (const Xapian::DatabaseError&) {
      // Another database has come to the path.
    }
  }
  return std::make_unique<OpenDatabase>(path_);
}

void DatabasePool::give_back(std::unique_ptr<OpenDatabase> open) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(open));
}

void DatabasePool::wait(int tries) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1 << tries));
}

}  // namespace search_server
