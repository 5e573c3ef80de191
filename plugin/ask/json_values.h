#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "config/pulse.h"
#include "plugin/ask/question.h"
#include "plugin/input/names.h"
#include "plugin/questions.h"

// What reads and writes the values of requests and answers: each kind of value once, for the code
// that is made of the table of questions.

namespace kindred {

/// The value of a struct that JSON has, which fits the table. `place` begins messages.
/// @throws Error kInvalidArgument, where types that are read by hand expect more.
template <typename Value>
Value read_value(const Json& json, const std::string& place);

/// Calls read(value, place) if there is a value under the key.
template <typename Read>
void read_key(const Json& json, const std::string& place, const char* key, Read&& read) {
  const auto found = json.find(key);
  if (found != json.end()) read(*found, place + "." + key);
}

template <typename Read>
auto read_list(const Json& json, const std::string& place, Read&& read) {
  std::vector<decltype(read(json, place))> values;
  values.reserve(json.size());
  for (const Json& each : json)
    values.push_back(read(each, place + "[" + std::to_string(values.size()) + "]"));
  return values;
}

/// Adds a key that the object does not have yet, without a search for it.
inline void add_key(Json& json, std::string key, Json value) {
  json.get_ref<Json::object_t&>().Container::emplace_back(std::move(key), std::move(value));
}

/// A struct: add_json() adds its keys to an object.
template <typename Value>
Json object_json(const Value& value, const Pulse& pulse) {
  Json json = Json::object();
  add_json(value, pulse, json);
  return json;
}

template <typename Values, typename Write>
Json list_json(const Values& values, const Pulse& pulse, Write&& write) {
  Json json = Json::array();
  json.get_ref<Json::array_t&>().reserve(values.size());
  for (const auto& value : values) {
    pulse();
    json.push_back(write(value));
  }
  return json;
}

template <typename Values, typename Write>
Json map_json(const Values& values, const Pulse& pulse, Write&& write) {
  Json json = Json::object();
  for (const auto& [key, value] : values) {
    pulse();
    json[key] = write(value);
  }
  return json;
}

template <typename Value, typename Write>
Json or_null(const Value& value, Write&& write) {
  return value ? write(*value) : Json();
}

/// A text; U+FFFD in place of what is not UTF-8.
Json text_json(const std::string& text);

/// Shares of a vote add up to 1 only as well as rounding lets them.
Json share_json(double share);

/// A number; null for what JSON has no number for.
Json number_json(double value);

// The types of the table that are by hand.

/// @throws Error kInvalidArgument that names the place, if not just one way to name it is given.
template <>
Example read_value<Example>(const Json& json, const std::string& place);

void add_json(const Tag& tag, const Pulse& pulse, Json& json);
void add_json(const TopicName& topic, const Pulse& pulse, Json& json);

/// A document with names as answers have them.
void add_json(const StoredDocument& document, const Pulse& pulse, Json& json);

/// A document as a record, with names as they are.
void add_json(const ExportedDocument& exported, const Pulse& pulse, Json& json);

}  // namespace kindred
