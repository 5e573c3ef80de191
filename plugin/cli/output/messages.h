#pragma once

#include <string_view>

namespace kindred::cli {

/// Writes a line on standard error in one piece. What may not be shown is escaped.
void tell(std::string_view text);

}  // namespace kindred::cli
