#pragma once

#include <memory>
#include <string>

#include "plugin/store/kept_files.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

/// Stores a map on disk. A reader finds either the old one or the new one.
/// @throws Error as SectionWriter::write(); an older map is then unchanged.
void save_topic_map(const TopicMap& map, const std::string& path);

/// A name for what is in a map, of 16 digits: maps that differ in anything have another.
std::string topic_map_name(const TopicMap& map);

/// @throws Error kNotFound if there is no map, or it cannot be read; kCorrupt if it fails its
/// checks; kUnsupported if it is of another version; kInvalidArgument if it is not a regular file.
std::shared_ptr<const TopicMap> load_topic_map(const std::string& path);

/// Refuses a map of another index.
/// @throws Error kInvalidArgument that names the file and both uuids.
/// `kept`: of this index.
void check_topic_map(const TopicMap& map, const std::string& path, const KeptFiles& kept);

}  // namespace kindred
