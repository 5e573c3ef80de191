#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kindred {

/// Parses CBOR (RFC 8949) that may come from anybody: the library's parser calls itself for each
/// array and object, so what nests deeper than 16 is refused before the stack ends.
/// @throws std::exception that says what is wrong
nlohmann::json parse_cbor(const std::string& bytes);

}  // namespace kindred
