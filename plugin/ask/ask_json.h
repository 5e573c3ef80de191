#pragma once

#include <string_view>

#include "config/api.h"
#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"

namespace kindred {

/// ask() on values: for who has the request as a value, or reads the answer. Texts of the answer
/// are UTF-8; json_line() makes the line of it that ask() returns. @throws as ask().
KINDRED_API Json ask_json(const AskedIndex& index, std::string_view question, const Json& request);

}  // namespace kindred
