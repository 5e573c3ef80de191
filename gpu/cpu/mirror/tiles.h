#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/cpu/mirror/mirror_rows.h"

namespace kindred::cpu {

/// How a mirror is cut and laid out; chosen for the instruction set that will scan it.
struct TileLayout {
  std::uint32_t documents = 65408;  ///< of a tile, at most; a multiple of 128, below 65,536
  double plane_density = 2;         ///< a share of a tile's documents; above 1: no bit planes
};

/// An inverted index of up to 65,535 documents at consecutive places, whose postings are added up
/// in 32-bit accumulators that fit the second-level cache.
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
  static constexpr std::uint32_t kPadding = 128;  ///< tiles begin at its multiples
  static constexpr std::uint16_t kMixed = 0;      ///< the count of a mixed run

  std::uint32_t first_place = 0;
  std::uint32_t documents = 0;
  std::uint32_t dead = 0;            ///< documents that were already dead when it was made
  std::vector<std::uint32_t> start;  ///< [columns + 1]
  std::vector<std::uint16_t> postings;
  std::vector<std::uint16_t> planes;  ///< [planes, padded() / 16], bit d % 16 of word d / 16

  static std::uint32_t padded(std::uint32_t documents) {
    return (documents + kPadding - 1) / kPadding * kPadding;
  }
  std::uint32_t padded() const { return padded(documents); }
  std::size_t plane_words() const { return padded() / 16; }
  std::size_t bytes() const;

  /// The end of the run, mixed or not, that begins at `run`.
  static const std::uint16_t* end_of(const std::uint16_t* run) {
    return run + 2 + std::size_t{run[1]} * (run[0] == kMixed ? 2 : 1);
  }
};

/// A tile that backends share, and the number of its first documents that are searched in it: a
/// multiple of kPadding, or all. The other documents have moved to the next tile.
struct TilePart {
  std::shared_ptr<const Tile> tile;
  std::uint32_t documents = 0;

  std::uint32_t padded() const { return Tile::padded(documents); }
  std::uint32_t end_place() const { return tile->first_place + documents; }
};

using Tiles = std::vector<TilePart>;

/// The tiles that are being made are no longer wanted.
struct TilesStopped {};

/// Cuts the mirror into tiles of consecutive places. Every tile starts at a multiple of kPadding.
std::vector<TilePart> build_tiles(const MirrorRows& mirror, const TileLayout& layout,
                                  std::size_t threads);

/// The tiles of `mirror`, given the tiles of its rows before some were added or replaced and some
/// died:
/// - Added rows get tiles of their own, which take in the tiles before them that are not larger. So
///   there are O(log rows) small tiles, however the rows came.
/// - A tile is rebuilt if a quarter of its documents has died since it was made.
/// - All other tiles are shared.
/// @throws TilesStopped within a few milliseconds after `stop` became true, if it is given.
std::vector<TilePart> refresh_tiles(const std::vector<TilePart>& tiles, const MirrorRows& mirror,
                                    const TileLayout& layout, std::size_t threads,
                                    const std::atomic<bool>* stop = nullptr);

}  // namespace kindred::cpu
