#include "gpu/cpu/background_tiles.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

/// Queries that are scored row by row in about the time that makes the tiles: both take a time in
/// proportion to the mirror's entries.
constexpr std::size_t kQueriesWorthTiles = 16;
constexpr std::size_t kMostCounted = std::size_t{1} << 30;
constexpr std::uint64_t kEntriesMadeAtOnce = std::uint64_t{1} << 16;  // in about a millisecond

}  // namespace

/// A build of tiles, by a thread of its own or by one that needs them. States of the mirror share
/// it; the last of them that goes stops it.
class TileBuild {
 public:
  using Work = std::function<Tiles(const std::atomic<bool>& stop)>;

  explicit TileBuild(Work work)
      : task_([this, work = std::move(work)] {
          return std::make_shared<const Tiles>(work(stop_));
        }),
        tiles_(task_.get_future()) {}
  ~TileBuild() { stop_ = true; }
  TileBuild(const TileBuild&) = delete;
  TileBuild& operator=(const TileBuild&) = delete;

  /// Runs it in a thread of its own. False if there is none: then the caller is to run it.
  bool start(std::size_t threads) {
    // run_beside() gives a deferred call where there is no thread for it.
    std::future<void> thread = run_beside(threads, [this] {
      run();
    });
    if (thread.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) return false;

    thread_ = std::move(thread);
    return true;
  }
  void run() { task_(); }

  bool ended() const {
    return tiles_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void wait() const { tiles_.wait(); }
  /// Waits for them. @throws what the work threw.
  std::shared_ptr<const Tiles> tiles() const { return tiles_.get(); }

 private:
  std::atomic<bool> stop_ = false;
  std::packaged_task<std::shared_ptr<const Tiles>()> task_;
  std::shared_future<std::shared_ptr<const Tiles>> tiles_;
  std::future<void> thread_;  ///< last: the others outlive it
};

BackgroundTiles::BackgroundTiles(SegmentListPointer mirror, Options options,
                                 BackgroundTiles* before)
    : mirror_(std::move(mirror)), options_(std::move(options)) {
  std::shared_ptr<const Tiles> former;

  // Takes over what the state before knows. If its tiles are ready, these are made from them below;
  // if they are being made, that build goes on for both.
  if (before != nullptr) {
    const std::lock_guard lock(before->mutex_);
    before->collect_ended();
    former = before->newest();
    if (former == nullptr) build_ = before->build_;
    asked_ = before->asked_;
  }

  const bool at_once = options_.timing == TileTiming::kAtOnce;
  if (former == nullptr && at_once) former = std::make_shared<const Tiles>();
  if (former != nullptr)
    set_own(std::make_shared<const Tiles>(options_.make(*former, *mirror_, nullptr)));
}

void BackgroundTiles::set_own(std::shared_ptr<const Tiles> tiles) {
  own_ = std::move(tiles);
  former_.reset();
  ready_.store(own_.get(), std::memory_order_release);
}

/// Takes the tiles of a build that has ended, if it made them.
void BackgroundTiles::collect_ended() {
  if (build_ == nullptr || !build_->ended()) return;

  // It is out of `build_` whatever happens, so that one that failed is not asked again.
  const std::shared_ptr<TileBuild> ended = std::move(build_);
  try {
    if (build_is_own_)
      set_own(ended->tiles());
    else
      former_ = ended->tiles();
  } catch (...) {
    failed_ = true;  // those who wait for it throw it
  }
}

const Tiles* BackgroundTiles::for_queries(std::size_t queries) {
  // Nearly all calls end here, without a lock.
  if (const Tiles* tiles = ready_.load(std::memory_order_acquire)) return tiles;

  if (queries == 0 || options_.timing == TileTiming::kNever) return nullptr;

  // A call of that many queries would take longer without tiles than it takes to make them.
  const bool waits = queries >= kQueriesWorthTiles;

  // The first small call does without tiles: a mirror may never be asked again.
  {
    const std::lock_guard lock(mutex_);
    const bool is_first = asked_ == 0;
    asked_ = std::min(asked_ + std::min(queries, kMostCounted), kMostCounted);
    if (is_first && !waits) return nullptr;
  }

  // Goes on until there are tiles of this state. A build that is waited for may be one of an
  // earlier state; then one of this state follows from it.
  for (;;) {
    std::shared_ptr<TileBuild> build;
    bool runs_here = false;
    {
      const std::lock_guard lock(mutex_);
      collect_ended();
      if (own_ != nullptr) return own_.get();
      if (failed_ && !waits) return nullptr;
      if (build_ == nullptr) runs_here = begin(waits);
      build = build_;
    }

    // The lock is free here: others go on without tiles meanwhile.
    if (build == nullptr || !(runs_here || waits)) return nullptr;
    if (runs_here) build->run();
    build->wait();
    if (waits) build->tiles();  // throws if there are none
  }
}

/// Begins to make the tiles if that pays. True if the caller has to run what it began.
bool BackgroundTiles::begin(bool waits) try {
  // A small rest is made at once, since a thread costs as much. With one thread only, a build would
  // keep its caller from answering, so it waits until it has paid.
  const bool small = entries_missing() < kEntriesMadeAtOnce;
  const bool pays = waits || small || asked_ >= kQueriesWorthTiles;
  if (!pays && number_of_threads(options_.threads) == 1) return false;

  // The work holds all that it reads: this state may be gone before it ends.
  const auto build = std::make_shared<TileBuild>(
      [mirror = mirror_, former = former_, make = options_.make](const std::atomic<bool>& stop) {
        return make(former == nullptr ? Tiles{} : *former, *mirror, &stop);
      });

  // Without a thread for it, the caller has to run it, and that must pay.
  const bool runs_here = waits || small || !build->start(options_.threads);
  if (runs_here && !pays) return false;

  // Others find it here, and wait for it or go on without.
  build_ = build;
  build_is_own_ = true;
  return runs_here;
} catch (...) {
  if (waits) throw;
  failed_ = true;
  return false;
}

/// The tiles that there are: of this state, else of an earlier one, else null.
const std::shared_ptr<const Tiles>& BackgroundTiles::newest() const {
  return own_ != nullptr ? own_ : former_;
}

/// How many entries no tile has.
std::uint64_t BackgroundTiles::entries_missing() const {
  std::uint64_t missing = mirror_->nonzeros();

  // Tiles are shared by segment. A segment has all of its tiles or none.
  if (former_ == nullptr) return missing;
  const Segment* last = nullptr;  // the tiles of a segment follow each other
  for (const PlacedTile& placed : *former_) {
    if (placed.segment.get() != last && mirror_->has(placed.segment))
      missing -= placed.segment->counts.nonzeros();
    last = placed.segment.get();
  }
  return missing;
}

std::size_t BackgroundTiles::bytes() const {
  const std::lock_guard lock(mutex_);

  const std::shared_ptr<const Tiles>& held = newest();
  if (held == nullptr) return 0;

  // What several states share counts in parts for each: a tile here, and the list of tiles below.
  std::size_t sum = 0;
  for (const PlacedTile& placed : *held) sum += part_of_bytes(placed.tile->bytes(), placed.tile);
  return part_of_bytes(sum, held);
}

}  // namespace kindred::cpu
