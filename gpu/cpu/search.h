#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/exact.h"
#include "gpu/cpu/scan.h"
#include "gpu/cpu/tiles.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/scoring.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

/// A query's factors by term, to score row after row. Reused from query to query.
class QueryTables {
 public:
  /// Takes in this query's factors, for a mirror of so many columns.
  void start(const QueryFactors& query, const TermWeighting& weighting, std::size_t columns);
  /// Takes the query's factors out again.
  void end(const QueryFactors& query);

  /// The sum of the query's exact contributions to a row that is not dead.
  std::int64_t sum(const RowEntries& row) const;

 private:
  std::vector<std::uint32_t> terms_;  ///< bit t % 32 of word t / 32
  std::vector<double> factor_;        ///< [columns] 0: not in the query
  const double* tf_ = nullptr;
};

/// What every search of a mirror reads.
struct Index {
  AlignedArray<float> filter_reciprocals;  ///< see ScanInput; by slot (tiles.h)
  double typical_reciprocal = 0;           ///< of these; 0 if there is none
  ExactScores exact;
  ScanFunction scan = nullptr;

  std::size_t bytes() const;
};

/// What the terms of a query add to coarse sums, in units of 2^shift.
struct CoarseContributions {
  std::span<const double> tf;  ///< of the mirror's weighting
  int shift = 0;

  /// By a term that a document has `count` times. 0 for counts that only dead rows have.
  std::uint32_t of(double factor, std::uint32_t count) const {
    constexpr double kLongest = 0x1.4p62;  // more than the length of any row that is not dead
    if (count >= tf.size()) return 0;
    const double weight = factor * tf[count];
    if (weight > kLongest) return 0;
    return coarse_contribution(contribution(1, weight), shift);
  }
};

/// The list of a query's term in a tile (gpu/cpu/tiles.h).
struct Slice {
  const std::uint16_t* begin = nullptr;
  const std::uint16_t* end = nullptr;
  double factor = 0;
  bool has_planes = false;
  std::uint32_t left_out = 0;  ///< documents that have the term at most so often are not added
  std::uint32_t lacks = 0;     ///< the largest contribution to one of them
};

/// The working memory of one thread, with which it searches for one query at a time.
class Searcher {
 public:
  explicit Searcher(const Index& index) : index_(index) {}

  /// Finds the best neighbors of query `q`, which has weights, in part number `part` of the
  /// mirror's `parts` parts. Without tiles (null), scores all rows. Writes them in order and
  /// returns how many there are, at most neighbors.size().
  std::size_t search(const QueryView& queries, std::size_t q, const AllowedPlaces& allowed,
                     const Tiles* tiles, std::size_t part, std::size_t parts,
                     std::span<Neighbor> neighbors);

 private:
  void score_each(std::span<const std::uint32_t> places);
  void score_range(std::uint32_t begin, std::uint32_t end, const std::uint64_t* allowed);
  void search_tiles(std::span<const PlacedTile> tiles, const std::uint64_t* allowed);
  void search_tile(const PlacedTile& placed, const std::uint64_t* allowed);
  const std::uint64_t* allowed_of(const PlacedTile& placed, const std::uint64_t* allowed);
  void find_slices(const Tile& tile);
  std::uint32_t leave_out(const Tile& tile);
  void put_back(const Tile& tile, std::uint32_t begin);
  void accumulate(const Tile& tile);
  const std::uint16_t* add_planes(const Tile& tile, const Slice& slice, std::uint32_t& base);
  void scan(const PlacedTile& placed, const std::uint64_t* allowed, std::uint32_t lacks);
  double unit() const;

  const Index& index_;
  CoarseContributions coarse_;  ///< of the query
  std::uint32_t scanned_ = 0;   ///< documents of this query so far
  float usual_ = 0;             ///< about the similarity of the last neighbor of former queries
  QueryFactors query_;
  Candidates candidates_;
  QueryTables tables_;
  std::vector<Slice> slices_;
  std::vector<BitPlane> planes_;
  Survivors survivors_;
  std::vector<std::uint64_t> allowed_;        ///< of a tile
  AlignedArray<std::uint32_t> accumulators_;  ///< all 0 between tiles
};

}  // namespace kindred::cpu
