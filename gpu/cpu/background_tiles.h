#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "gpu/cpu/tiles.h"
#include "gpu/options.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

class TileBuild;

/// The tiles of a mirror, which backends of several weightings share. A backend is ready without
/// them: it scores all rows for the first queries.
/// - They are made from the second query on, in a thread of its own, while queries go on without
///   them. A call whose queries cost more than the tiles waits for them.
/// - Where the backend may have one thread only, or the system gives none, a caller makes them as
///   soon as the queries so far cost as much. Those of a small mirror it makes at the second query.
/// - What fails in the build is thrown to the calls that wait for it. The others, and later ones,
///   do without tiles. The next call that would wait tries again, and so does the next state of
///   the mirror.
/// The memory that the mirror borrows has to last as long. Any number of threads may call it.
class BackgroundTiles {
 public:
  /// Makes the tiles of a mirror, given those of an earlier state of it, which may be none.
  /// @throws TilesStopped within a few milliseconds after `stop` became true, if it is given;
  /// std::bad_alloc; Error kUnsupported.
  using Make = std::function<Tiles(const Tiles& former, const SegmentList& mirror,
                                   const std::atomic<bool>* stop)>;
  struct Options {
    TileTiming timing;
    std::size_t threads;  ///< that the backend may have (gpu/workers.h)
    Make make;
  };

  /// `before` has the tiles of an earlier state of it, or is null:
  /// - If those are ready, these are at once: those of the same segments are shared.
  /// - If those are being made, these follow from them. However many states the mirror has in the
  ///   meantime, they share that one build, which goes on when `before` is gone.
  BackgroundTiles(SegmentListPointer mirror, Options options, BackgroundTiles* before);
  BackgroundTiles(const BackgroundTiles&) = delete;
  BackgroundTiles& operator=(const BackgroundTiles&) = delete;

  const Options& options() const { return options_; }

  /// The tiles for a call with so many queries; null if it is to do without. May block.
  /// @throws std::bad_alloc, Error kUnsupported if they cannot be made and the call needs them.
  const Tiles* for_queries(std::size_t queries);

  /// A tile that several states of the mirror share counts in equal parts for each, so that their
  /// bytes add up.
  std::size_t bytes() const;

 private:
  void set_own(std::shared_ptr<const Tiles> tiles);
  void collect_ended();
  bool begin(bool waits);
  const std::shared_ptr<const Tiles>& newest() const;
  std::uint64_t entries_missing() const;

  const SegmentListPointer mirror_;
  const Options options_;
  std::atomic<const Tiles*> ready_ = nullptr;
  mutable std::mutex mutex_;  ///< for all that follows
  std::shared_ptr<const Tiles> own_;
  std::shared_ptr<const Tiles> former_;  ///< of an earlier state; null if there are none
  std::shared_ptr<TileBuild> build_;     ///< under way, or ended; null if none
  bool build_is_own_ = false;            ///< of this state, not of an earlier one
  bool failed_ = false;
  std::size_t asked_ = 0;  ///< queries so far, of this state and those before
};

}  // namespace kindred::cpu
