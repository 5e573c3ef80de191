#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/cpu/mirror/mirror_rows.h"
#include "gpu/cpu/mirror/tiles.h"

namespace kindred::cpu {

using Tiles = std::vector<TilePart>;

/// Makes the tiles of a mirror, once. Backends of later states of the mirror share it, so that it
/// goes on when the backend that began it is gone. The memory that the mirror borrows has to last
/// as long as it. Any number of threads may call it.
class TileMaking {
 public:
  /// `former` are tiles of an earlier state of the mirror, or null.
  TileMaking(std::shared_ptr<const MirrorRows> mirror, std::shared_ptr<const Tiles> former,
             const TileLayout& layout, std::size_t threads);
  /// Stops the work, which takes a few milliseconds at most, and waits for its thread.
  ~TileMaking();
  TileMaking(const TileMaking&) = delete;
  TileMaking& operator=(const TileMaking&) = delete;

  /// Calls run() in a thread of its own. False if it may have one thread only, or the system gives
  /// none. Either this or run() is called, once; run() also after this returned false.
  bool start();
  /// Makes the tiles, or keeps what that threw.
  void run() noexcept;

  bool ended() const;
  void wait() const;  ///< until it has ended

  /// What it made. It has ended. @throws what the work threw.
  std::shared_ptr<const Tiles> tiles() const;

 private:
  const std::shared_ptr<const MirrorRows> mirror_;
  std::shared_ptr<const Tiles> former_;
  const TileLayout layout_;
  const std::size_t threads_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable end_;
  bool ended_ = false;
  std::shared_ptr<const Tiles> tiles_;
  std::exception_ptr failure_;
  std::future<void> thread_;  ///< last: the others outlive it
};

}  // namespace kindred::cpu
