#include "index/databases.h"

#include "plugin/store/zim.h"

namespace search_server {

Databases::Databases(std::string path, bool exists)
    : path_(std::move(path)), pool_([this] { return std::make_unique<Xapian::Database>(open()); }) {
  if (exists) watched_ = open();
}

Xapian::Database Databases::open() const {
  return kindred::is_zim(path_) ? kindred::open_zim(path_) : Xapian::Database(path_);
}

std::unique_ptr<Xapian::Database> Databases::take() {
  std::unique_ptr<Xapian::Database> lent = pool_.take();
  try {
    lent->reopen();
  } catch (const Xapian::Error&) {  // another database is at the path now, or a server has closed
    *lent = open();
  }
  return lent;
}

bool Databases::moved() {
  bool has_moved = true;
  try {
    if (watched_) has_moved = watched_->reopen();
  } catch (const Xapian::Error&) {
    watched_.reset();
  }
  if (!watched_) watched_ = open();
  return has_moved;
}

}  // namespace search_server
