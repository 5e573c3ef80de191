#include "plugin/cli/output/messages.h"

#include <iostream>

#include "config/shown.h"

namespace kindred::cli {

void tell(std::string_view text) { std::cerr << shown(text) + '\n' << std::flush; }

}  // namespace kindred::cli
