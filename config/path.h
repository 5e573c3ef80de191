#pragma once

#include <string>

#include "config/error.h"

namespace kindred {

/// Refuses a path with a zero byte: the system would end it there and open another file. `what` is,
/// for instance, "a database". @throws Error kInvalidArgument.
inline void check_path(const std::string& path, const std::string& what) {
  if (path.find('\0') != std::string::npos)
    throw Error(Errc::kInvalidArgument,
                path + ": expected the path of " + what + ", without zero bytes");
}

}  // namespace kindred
