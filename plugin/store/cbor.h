#pragma once

#include <xapian.h>
#include <cstdint>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/error.h"

namespace kindred {

/// Parses CBOR (RFC 8949) that may come from anybody: the library's parser calls itself for each
/// array and object, so what nests deeper than 16 is refused before the stack ends.
/// @throws std::exception that says what is wrong
nlohmann::json parse_cbor(const std::string& bytes);

/// The bytes of an object that Xapian serializes.
std::string serialized(const nlohmann::json& json);

/// The whole number in a JSON value. (The JSON library itself would also convert fractions, and
/// numbers that do not fit.) @throws Error kCorrupt if it is not a whole number, or does not fit.
template <typename Integer, typename Json>
Integer whole_number(const Json& json) {
  bool fits = false;
  if (json.is_number_unsigned()) {
    fits = std::in_range<Integer>(json.template get<std::uint64_t>());
  } else if (json.is_number_integer()) {
    fits = std::in_range<Integer>(json.template get<std::int64_t>());
  }
  if (!fits)
    throw Error(Errc::kCorrupt, "expected a whole number, found " + json.dump().substr(0, 40));
  return json.template get<Integer>();
}

/// What read(json) makes of serialized() bytes. `name` is that of the object, whose "version" is to
/// be this one. @throws Xapian::SerialisationError that says what is wrong.
template <typename Read>
auto unserialized(const std::string& name, int version, const std::string& bytes, Read&& read) {
  try {
    const nlohmann::json json = parse_cbor(bytes);
    if (const auto found = whole_number<int>(json.at("version")); found != version)
      throw Error(Errc::kUnsupported, "expected version " + std::to_string(version) + ", found " +
                                          std::to_string(found));
    return read(json);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Xapian::SerialisationError(name + ": " + e.what());
  }
}

}  // namespace kindred
