#pragma once

#include <cstdint>
#include <memory>
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

}  // namespace kindred
