#include "index/databases.h"

#include "plugin/store/database.h"
#include "plugin/store/zim.h"

namespace search_server {
namespace {

Xapian::Database open_at(const std::string& path) {
  return kindred::is_zim(path) ? kindred::open_zim(path) : Xapian::Database(path);
}

std::int64_t now() { return std::chrono::system_clock::now().time_since_epoch().count(); }

}  // namespace

Databases::Databases(std::string path, bool exists) : path_(std::move(path)), seen_(now()) {
  if (exists) watched_ = open_at(path_);
}

std::unique_ptr<OpenDatabase> Databases::take() {
  std::unique_ptr<OpenDatabase> open;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      open = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  const std::int64_t seen = seen_;  // before it is opened: a version may be older than its database
  try {
    if (open) open->database.reopen();
  } catch (const Xapian::Error&) {
    open = nullptr;  // another database has come to the path, or a server has closed
  }
  if (!open) open = std::make_unique<OpenDatabase>(OpenDatabase{open_at(path_), ""});
  const std::uint64_t revision = kindred::revision_of(open->database);
  open->version = open->database.get_uuid() + "-" +
                  (revision > 0 ? std::to_string(revision) : std::to_string(seen));
  return open;
}

void Databases::give_back(std::unique_ptr<OpenDatabase> open) {
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
  if (has_moved) seen_ = now();
  return has_moved;
}

}  // namespace search_server
