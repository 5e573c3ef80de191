#pragma once

#include <string_view>

namespace kindred::cli {

/// Writes a line on standard error at once, fit to be shown.
void tell(std::string_view text);

}  // namespace kindred::cli
