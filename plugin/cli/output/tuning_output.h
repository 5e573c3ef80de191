#pragma once

#include <string>

#include "plugin/votes/tagging_method.h"

namespace kindred::cli {

/// A method in a few words: "blend, learned term weights, k 45, scut 0.2".
std::string method_text(const TaggingMethod& method);

}  // namespace kindred::cli
