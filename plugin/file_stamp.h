#pragma once

#include <string>

namespace kindred {

/// Changes whenever a file is written anew or removed; "" if there is none.
std::string file_stamp(const std::string& path);

}  // namespace kindred
