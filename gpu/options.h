#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/log.h"

namespace kindred {

/// When a backend on the CPU makes its tiles.
enum class TileTiming {
  kWhenItPays,  ///< as gpu/cpu/background_tiles.h says
  kAtOnce,      ///< before it answers anything
  kNever        ///< it scores all rows for every query
};

/// Where to compute, for searches and for maps.
struct BackendOptions {
  /// "cpu"; "cuda"; or "auto": a GPU if one answers, the CPU where that fails (twins/factory.h)
  std::string kind = "auto";
  std::size_t threads = 0;     ///< CPU threads for a call; 0 = one per core
  int device = 0;              ///< ordinal of the CUDA device; maps have only this one
  std::vector<int> devices{};  ///< of several, for searches: these instead, if there are any
  bool all_devices = false;    ///< all of the machine instead
  std::size_t memory = 0;      ///< at most this many bytes on each device; 0 = what is free there
  bool coalesce = false;  ///< single queries for a device are put together (coalescing_backend.h)
  TileTiming tiles =
      TileTiming::kWhenItPays;  ///< forced by tests only: answers do not depend on it
  Log log{};                    ///< told why "auto" takes the CPU though it looked for a device
};

}  // namespace kindred
