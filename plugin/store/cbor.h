#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/error.h"

namespace kindred {

/// Parses CBOR (RFC 8949) that may come from anybody: the library's parser calls itself for each
/// array and object, so what nests deeper than 16 is refused before the stack ends.
/// @throws std::exception that says what is wrong
nlohmann::json parse_cbor(const std::string& bytes);

/// The whole number in a JSON value. (The JSON library itself would also convert fractions, and
/// numbers that do not fit.) @throws Error kCorrupt if it is not a whole number, or does not fit.
template <typename Integer, typename Json>
Integer whole_number(const Json& json) {
  const bool fits =
      json.is_number_unsigned()
          ? std::in_range<Integer>(json.template get<std::uint64_t>())
          : json.is_number_integer() && std::in_range<Integer>(json.template get<std::int64_t>());
  if (!fits)
    throw Error(Errc::kCorrupt, "expected a whole number, found " + json.dump().substr(0, 40));
  return json.template get<Integer>();
}

}  // namespace kindred
