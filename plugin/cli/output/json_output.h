#pragma once

#include <nlohmann/json.hpp>

namespace kindred::cli {

/// Objects keep the order in which their keys were set.
using Json = nlohmann::ordered_json;

/// A similarity as a double that prints as the shortest decimal which is read back as the same
/// float.
double shortest(float value);

/// Prints a line on standard output. Malformed UTF-8, which an index may hold, becomes U+FFFD.
/// Characters that may not be shown are written as \uXXXX.
void print_json(const Json& json);

}  // namespace kindred::cli
