#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/segment_list.h"

namespace kindred::cpu {

/// How a mirror is cut and laid out; chosen for the instruction set that will scan it.
struct TileLayout {
  std::uint32_t documents = 65408;  ///< of a tile, at most; a multiple of 128, below 65,536
  double plane_density = 2;         ///< a share of a tile's documents; above 1: no bit planes
};

/// An inverted index of up to 65,535 consecutive rows of a segment, dead or not, whose postings are
/// added up in 32-bit accumulators that fit the second-level cache.
///
/// start[t] .. start[t + 1], without their top bit, is term t's slice of `postings`:
/// - If the top bit of start[t] is set, it begins with {planes, low half, high half of the first
///   plane's number}. Then bit planes 1 .. `planes` hold the documents with count >= 1, 2, .., and
///   what follows has only documents with larger counts.
/// - Runs of equal count, which ascends: {count, length, length x document number in the tile}.
/// - At most one mixed run, of the counts that few documents have, so that a list costs what its
///   postings cost: {kMixed, length, length x document number, length x count}.
struct Tile {
  static constexpr std::uint32_t kHasPlanes = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kPadding = 128;  ///< of a segment, tiles begin at its multiples
  static constexpr std::uint16_t kMixed = 0;      ///< the count of a mixed run

  std::uint32_t first_row = 0;
  std::uint32_t documents = 0;
  std::vector<std::uint32_t> start;  ///< [columns + 1]
  std::vector<std::uint16_t> postings;
  std::vector<std::uint16_t> planes;  ///< [planes, padded() / 16], bit d % 16 of word d / 16

  std::uint32_t padded() const { return (documents + kPadding - 1) / kPadding * kPadding; }
  std::size_t plane_words() const { return padded() / 16; }
  std::size_t bytes() const;

  /// The end of the run, mixed or not, that begins at `run`.
  static const std::uint16_t* end_of(const std::uint16_t* run) {
    return run + 2 + std::size_t{run[1]} * (run[0] == kMixed ? 2 : 1);
  }
};

/// A tile of a segment, and where its first document is in a mirror.
struct PlacedTile {
  SegmentPointer segment;
  std::shared_ptr<const Tile> tile;
  std::uint32_t first_place;
  std::size_t first_slot;  ///< a multiple of Tile::kPadding; see slots_of()

  std::uint32_t end_place() const { return first_place + tile->documents; }
};

using Tiles = std::vector<PlacedTile>;

/// The first slot of each segment, then the number of slots: what is read along a tile has a slot
/// for each document, and each segment begins at a multiple of Tile::kPadding.
std::vector<std::size_t> slots_of(const SegmentList& mirror);

/// The tiles that are being made are no longer wanted.
struct TilesStopped {};

/// Cuts each segment of the mirror into tiles. Those of segments that `former` has are shared.
/// @throws TilesStopped within a few milliseconds after `stop` became true, if it is given;
/// Error kUnsupported if a tile has too many entries.
Tiles make_tiles(const Tiles& former, const SegmentList& mirror, const TileLayout& layout,
                 std::size_t threads, const std::atomic<bool>* stop = nullptr);

}  // namespace kindred::cpu
