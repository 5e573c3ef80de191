#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "plugin/store/kept_files.h"
#include "plugin/topics/map.h"

namespace kindred {

/// Stores a map on disk. A reader finds either the old one or the new one.
/// @throws Error kDatabase if it cannot be written; an older map is then unchanged.
void save_topic_map(const TopicMap& map, const std::string& path);

/// The checksum that the file of a map ends with: maps that differ in anything have another.
std::uint32_t topic_map_checksum(const TopicMap& map);

/// @throws Error kNotFound if there is no map, or it cannot be read; kCorrupt if it fails its
/// checks; kInvalidArgument if it is not a regular file, or longer than 16 GiB.
std::shared_ptr<const TopicMap> load_topic_map(const std::string& path);

/// Refuses a map of another index.
/// @throws Error kInvalidArgument that names the file and both uuids.
/// `kept`: of this index.
void check_topic_map(const TopicMap& map, const std::string& path, const KeptFiles& kept);

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
