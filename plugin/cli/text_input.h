#pragma once

#include <string>

namespace kindred::cli {

/// A whole regular file, or what the shell has opened, without a byte order mark of UTF-8. Neither
/// a FIFO nor a device, which might never end. @throws Error kNotFound, kInvalidArgument.
std::string read_text(const std::string& path);

}  // namespace kindred::cli
