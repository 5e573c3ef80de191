#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "plugin/store/kept_files.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

/// Holds the map of one database. It is read at the first call of get(), and again when its file
/// has changed. Any number of threads may call it.
class TopicShelf {
 public:
  /// `location`: file_location() of the database; "" for one in memory, whose map is kept only
  /// here.
  explicit TopicShelf(const std::string& location);

  /// @throws Error as load_topic_map() and check_topic_map().
  std::shared_ptr<const TopicMap> get(const KeptFiles& kept);

  /// Stores a new map. @throws Error as save_topic_map(); the old one is then still there.
  void put(std::shared_ptr<const TopicMap> map);

 private:
  const std::string path_;  ///< of the map; "" = none
  std::mutex mutex_;
  std::shared_ptr<const TopicMap> map_;
};

}  // namespace kindred
