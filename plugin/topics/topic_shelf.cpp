#include "plugin/topics/topic_shelf.h"

#include <utility>

#include "config/error.h"
#include "plugin/topics/topic_map_file.h"

namespace kindred {

TopicShelf::TopicShelf(const std::string& location)
    : path_(location.empty() ? "" : topic_map_path(location)) {}

std::shared_ptr<const TopicMap> TopicShelf::get(const KeptFiles& kept) {
  const std::lock_guard lock(mutex_);

  // Without a file the map lives here alone.
  if (path_.empty()) {
    if (map_ == nullptr)
      throw Error(Errc::kNotFound, "the database has no map: expected one to be trained before");
    return map_;
  }

  // Another process may have trained a new one. The old one is let go first, so that the memory
  // need not hold both.
  if (map_ == nullptr || map_->stamp != index_file(path_).stamp()) {
    map_ = nullptr;
    map_ = load_topic_map(path_);
  }

  // The index may have been replaced since, under the same path.
  check_topic_map(*map_, path_, kept);
  return map_;
}

void TopicShelf::put(std::shared_ptr<const TopicMap> map) {
  // The file first: if it cannot be written, the map that was there stays in use.
  if (!path_.empty()) save_topic_map(*map, path_);
  const std::lock_guard lock(mutex_);
  map_ = path_.empty() ? std::move(map) : nullptr;  // the file is read when it is asked for
}

}  // namespace kindred
