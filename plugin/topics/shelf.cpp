#include "plugin/topics/shelf.h"

#include <utility>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/topics/file.h"

namespace kindred {

TopicShelf::TopicShelf(const std::string& location)
    : path_(location.empty() ? "" : topic_map_path(location)) {}

std::shared_ptr<const TopicMap> TopicShelf::get(const KeptFiles& kept) {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) {
    if (map_ == nullptr)
      throw Error(Errc::kNotFound, "the database has no map: expected one to be trained before");
    return map_;
  }
  if (map_ == nullptr || map_->stamp != file_stamp(path_)) {
    map_ = nullptr;
    map_ = load_topic_map(path_);
  }
  check_topic_map(*map_, path_, kept);
  return map_;
}

void TopicShelf::put(std::shared_ptr<const TopicMap> map) {
  if (!path_.empty()) save_topic_map(*map, path_);
  const std::lock_guard lock(mutex_);
  map_ = path_.empty() ? std::move(map) : nullptr;  // the file is read when it is asked for
}

}  // namespace kindred
