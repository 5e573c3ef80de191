#pragma once

#include <string>

#include "plugin/votes/tagging_method.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred::cli {

/// A method in a few words: "blend + linear, k 45, FBR 0.3".
std::string method_text(const TaggingMethod& method);

/// Which share of later documents will have a right best tag: "0.93", or "0.81 to 0.91" if they
/// differ from earlier ones.
std::string expectation_text(const TuneReport& report);

}  // namespace kindred::cli
