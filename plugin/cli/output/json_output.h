#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/answers/shard_revisions.h"
#include "plugin/topics/map.h"

namespace kindred::cli {

/// Objects keep the order in which their keys were set.
using Json = nlohmann::ordered_json;

/// A similarity as a double that prints as the shortest decimal which is read back as the same
/// float.
double shortest(float value);

/// A line without its end. Malformed UTF-8, which an index may hold, becomes U+FFFD. Characters
/// that may not be shown are written as \uXXXX.
std::string json_line(const Json& json);

/// Prints such a line on standard output.
void print_json(const Json& json);

/// What stands in place of an answer for a line of a file, counted from 1, that asked for none.
Json bad_line_json(std::uint64_t line, const std::string& error);

/// An object with a last key that says which revision of which shard an answer is from, if there
/// are several.
Json with_shards(Json json, const ShardRevisions& shards);

/// The keys that 'topics train' and 'topics show' have for the map as a whole.
Json summary_json(const TopicMap& map);

}  // namespace kindred::cli
