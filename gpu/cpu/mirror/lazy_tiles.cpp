#include "gpu/cpu/mirror/lazy_tiles.h"

#include <algorithm>
#include <utility>

#include "gpu/cpu/mirror/tile_hooks.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

/// Queries that are scored row by row in the time that makes the tiles: both take a time in
/// proportion to the mirror's entries. Measured: 21 with AVX-512, 15 with AVX2.
constexpr std::size_t kQueriesWorthTiles = 16;
constexpr std::size_t kMostCounted = std::size_t{1} << 30;
constexpr std::uint64_t kEntriesWorthAThread = std::uint64_t{1} << 16;  // about a millisecond

}  // namespace

LazyTiles::LazyTiles(std::shared_ptr<const MirrorRows> mirror, const Options& options,
                     LazyTiles* before)
    : mirror_(std::move(mirror)), options_(options) {
  std::shared_ptr<const Tiles> former;
  if (before != nullptr) {
    const std::lock_guard lock(before->mutex_);
    before->take_ended();
    former = before->own_ != nullptr ? before->own_ : before->former_;
    if (former == nullptr) making_ = before->making_;
    asked_ = before->asked_;
  }
  const bool at_once = tile_hooks.timing == TileTiming::kAtOnce;
  if (former == nullptr && at_once) former = std::make_shared<const Tiles>();
  if (former != nullptr)
    take_own(std::make_shared<const Tiles>(
        refresh_tiles(*former, *mirror_, options.layout, options.threads)));
}

void LazyTiles::take_own(std::shared_ptr<const Tiles> tiles) {
  own_ = std::move(tiles);
  former_.reset();
  ready_.store(own_.get(), std::memory_order_release);
}

/// Takes what a making that has ended made, if it made it.
void LazyTiles::take_ended() {
  if (making_ == nullptr || !making_->ended()) return;
  const std::shared_ptr<TileMaking> ended = std::move(making_);
  try {
    if (making_is_own_)
      take_own(ended->result());
    else
      former_ = ended->result();
  } catch (...) {
    failed_ = true;  // those who wait for it throw it
  }
}

const Tiles* LazyTiles::for_queries(std::size_t queries) {
  if (const Tiles* tiles = ready()) return tiles;
  if (queries == 0 || tile_hooks.timing == TileTiming::kNever) return nullptr;
  const bool waits = queries >= kQueriesWorthTiles;
  {
    const std::lock_guard lock(mutex_);
    const bool is_first = asked_ == 0;
    asked_ = std::min(asked_ + std::min(queries, kMostCounted), kMostCounted);
    if (is_first && !waits) return nullptr;
  }
  for (;;) {
    std::shared_ptr<TileMaking> making;
    bool runs_here = false;
    {
      const std::lock_guard lock(mutex_);
      take_ended();
      if (own_ != nullptr) return own_.get();
      if (failed_ && !waits) return nullptr;
      if (making_ == nullptr) runs_here = begin(waits);
      making = making_;
    }
    if (making == nullptr || !(runs_here || waits)) return nullptr;
    if (runs_here) making->run();
    making->wait();
    if (waits) making->result();  // throws if there are none
  }
}

/// Begins to make the tiles if that pays. True if the caller has to run what it began.
bool LazyTiles::begin(bool waits) try {
  const bool small = entries_missing() < kEntriesWorthAThread;
  const bool pays = waits || small || asked_ >= kQueriesWorthTiles;
  if (!pays && number_of_threads(options_.threads) == 1) return false;
  const auto making = std::make_shared<TileMaking>(
      [mirror = mirror_, former = former_, options = options_](const std::atomic<bool>& stop) {
        return refresh_tiles(former == nullptr ? Tiles{} : *former, *mirror, options.layout,
                             options.threads, &stop);
      });
  const bool runs_here = waits || small || !making->start(options_.threads);
  if (runs_here && !pays) return false;
  making_ = making;
  making_is_own_ = true;
  return runs_here;
} catch (...) {
  if (waits) throw;
  failed_ = true;
  return false;
}

/// About how many entries no tile has.
std::uint64_t LazyTiles::entries_missing() const {
  const double places = mirror_->places();
  const double covered = former_ == nullptr || former_->empty() ? 0 : former_->back().end_place();
  const double share = places > 0 ? 1 - covered / places : 0;
  return static_cast<std::uint64_t>(share * static_cast<double>(mirror_->nonzeros()));
}

std::size_t LazyTiles::bytes() const {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Tiles>& held = own_ != nullptr ? own_ : former_;
  if (held == nullptr) return 0;
  std::size_t sum = 0;
  for (const TilePart& part : *held)
    sum += part.tile->bytes() / static_cast<std::size_t>(part.tile.use_count());
  return sum / static_cast<std::size_t>(held.use_count());
}

}  // namespace kindred::cpu
