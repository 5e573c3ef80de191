#include "index/databases.h"

#include "plugin/store/zim.h"

namespace search_server {
namespace {

Xapian::Database open_at(const std::string& path) {
  return kindred::is_zim(path) ? kindred::open_zim(path) : Xapian::Database(path);
}

}  // namespace

Databases::Databases(std::string path, bool exists) : path_(std::move(path)) {
  if (exists) watched_ = open_at(path_);
}

std::unique_ptr<Xapian::Database> Databases::take() {
  std::unique_ptr<Xapian::Database> open;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      open = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  try {
    if (open) open->reopen();
  } catch (const Xapian::Error&) {
    open = nullptr;  // another database has come to the path, or a server has closed
  }
  return open ? std::move(open) : std::make_unique<Xapian::Database>(open_at(path_));
}

void Databases::give_back(std::unique_ptr<Xapian::Database> open) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(open));
}

bool Databases::moved() {
  bool has_moved = true;
  try {
    if (watched_) has_moved = watched_->reopen();
  } catch (const Xapian::Error&) {
    watched_.reset();
  }
  if (!watched_) watched_ = open_at(path_);
  return has_moved;
}

}  // namespace search_server
