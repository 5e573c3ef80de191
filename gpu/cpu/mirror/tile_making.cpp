#include "gpu/cpu/mirror/tile_making.h"

#include <chrono>
#include <utility>

#include "gpu/workers.h"

namespace kindred::cpu {

TileMaking::TileMaking(std::shared_ptr<const MirrorRows> mirror,
                       std::shared_ptr<const Tiles> former, const TileLayout& layout,
                       std::size_t threads)
    : mirror_(std::move(mirror)), former_(std::move(former)), layout_(layout), threads_(threads) {}

TileMaking::~TileMaking() { stop_.store(true, std::memory_order_relaxed); }

bool TileMaking::start() {
  std::future<void> thread = run_beside(threads_, [this] { run(); });
  if (thread.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) return false;
  thread_ = std::move(thread);
  return true;
}

void TileMaking::run() noexcept {
  std::shared_ptr<const Tiles> tiles;
  std::exception_ptr failure;
  try {
    tiles = std::make_shared<const Tiles>(refresh_tiles(former_ == nullptr ? Tiles{} : *former_,
                                                        *mirror_, layout_, threads_, &stop_));
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    tiles_ = std::move(tiles);
    failure_ = std::move(failure);
    ended_ = true;
  }
  end_.notify_all();
}

bool TileMaking::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void TileMaking::wait() const {
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return ended_; });
}

std::shared_ptr<const Tiles> TileMaking::tiles() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return tiles_;
}

}  // namespace kindred::cpu
