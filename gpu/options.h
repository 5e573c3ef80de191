#pragma once

#include <cstddef>
#include <string>

#include "config/log.h"

namespace kindred {

/// Where to compute, for searches and for maps.
struct BackendOptions {
  /// "cpu"; "cuda"; or "auto": a GPU if one answers, the CPU where that fails (fallback_backend.h)
  std::string kind = "auto";
  std::size_t threads = 0;  ///< CPU threads for a call; 0 = one per core
  int device = 0;           ///< ordinal of the CUDA device
  std::size_t memory = 0;   ///< at most this many bytes on the device; 0 = what is free there
  Log log{};                ///< told why "auto" takes the CPU though it looked for a device
};

}  // namespace kindred
