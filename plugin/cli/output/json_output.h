#pragma once

#include <nlohmann/json.hpp>

namespace kindred::cli {

/// Objects keep the order in which their keys were set.
using Json = nlohmann::ordered_json;

/// A similarity as the double that prints as the shortest decimal which is the same float again.
double shortest(float value);

/// Prints a line on standard output. Malformed UTF-8, which an index may hold, becomes U+FFFD; what
/// may not be shown is written as \uXXXX.
void print_json(const Json& json);

}  // namespace kindred::cli
