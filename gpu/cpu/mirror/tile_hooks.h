#pragma once

#include <atomic>

namespace kindred::cpu {

/// When a backend makes its tiles.
enum class TileTiming {
  kWhenItPays,  ///< as gpu/cpu/mirror/lazy_tiles.h says
  kAtOnce,      ///< before it answers anything
  kNever        ///< it scores all rows for every query
};

/// What tests change. Programs leave it as it is.
struct TileHooks {
  std::atomic<TileTiming> timing = TileTiming::kWhenItPays;
  /// Called before each tile is made, by the thread that makes it. Null: nothing is.
  std::atomic<void (*)()> before_tile = nullptr;
};

inline TileHooks tile_hooks;

}  // namespace kindred::cpu
