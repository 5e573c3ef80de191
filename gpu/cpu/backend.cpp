#include "gpu/knn/backend.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "gpu/cpu/background_tiles.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/cpu/search.h"
#include "gpu/document_set.h"
#include "gpu/knn/vote.h"
#include "gpu/pool.h"
#include "gpu/ratio.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace cpu {
namespace {

constexpr std::uint32_t kRowsBounded = 65536;            // one item of parallel work
constexpr std::size_t kQueriesAtOnce = 16;               // one item of parallel work
constexpr std::size_t kPairsWorthAThread = 1 << 19;      // rows x queries, about a millisecond
constexpr std::uint64_t kEntriesWorthAThread = 1 << 20;  // scored one by one, a millisecond
constexpr std::size_t kQueriesWeighed = 4096;            // of a batch of counts, at a time
constexpr std::size_t kNeighborsHeld = 1 << 20;  // of a batch that votes, at a time; roughly

/// Measured: a bit plane pays if it holds at least 1 in 16 documents with AVX-512 or 1 in 7 with
/// AVX2, and never without these. Tiles of fewer documents lose more in look-ups than their smaller
/// accumulators gain.
TileLayout layout_for(InstructionSet set) {
  TileLayout layout;
  if (set == InstructionSet::kAvx512) layout.plane_density = 0.06;
  if (set == InstructionSet::kAvx2) layout.plane_density = 0.15;
  return layout;
}

/// An upper bound of a reciprocal length times 2^62; 0 for 0.
float filter_reciprocal(double reciprocal) {
  constexpr std::uint32_t kInfinity = 0x7F800000;  // a bound, too

  // The next float above the rounded one is above the exact value, too. For positive floats it is
  // the one whose bits are one more.
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(reciprocal * 0x1p62));
  const bool is_below = reciprocal > 0 && bits < kInfinity;
  return std::bit_cast<float>(is_below ? bits + 1 : bits);
}

AlignedArray<float> filter_reciprocals(const ExactScores& exact, std::size_t threads) {
  const std::vector<SegmentList::Part>& parts = exact.mirror().parts();
  const std::vector<std::size_t> first_slot = slots_of(exact.mirror());
  auto result = AlignedArray<float>::for_overwrite(first_slot.back());

  // Each segment begins at a slot of its own, so that vectors are aligned; the slots between have
  // 0, which never survives a scan.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint32_t first = parts[i].first_place;
    float* const to = result.data() + first_slot[i];
    const std::uint32_t rows = parts[i].segment->counts.rows;
    for_each_chunk(rows, kRowsBounded, threads, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t row = begin; row < end; ++row)
        to[row] = filter_reciprocal(exact.reciprocal(first + row));
    });

    std::fill(to + rows, result.data() + first_slot[i + 1], 0.0f);
  }

  return result;
}

/// About the mean of those that are positive; 0 if there are none.
double typical(const AlignedArray<float>& reciprocals) {
  constexpr std::size_t kLookedAt = 1024;
  double sum = 0;
  double count = 0;

  // A sample is enough: it only decides what is worth leaving out, and no answer depends on it.
  const std::size_t step = std::max<std::size_t>(1, reciprocals.size() / kLookedAt);
  for (std::size_t i = 0; i < reciprocals.size(); i += step) {
    const float reciprocal = reciprocals.data()[i];
    if (!(reciprocal > 0) || std::isinf(reciprocal)) continue;
    sum += reciprocal;
    ++count;
  }
  return ratio_or_zero(sum, count);
}

BackgroundTiles::Options tile_options(InstructionSet set, std::size_t threads, TileTiming timing) {
  const auto make = [layout = layout_for(set), threads](const Tiles& former,
                                                        const SegmentList& mirror,
                                                        const std::atomic<bool>* stop) {
    return make_tiles(former, mirror, layout, threads, stop);
  };
  return {timing, threads, make};
}

/// What a call searches, and how.
struct Scope {
  AllowedPlaces allowed;
  const Tiles* tiles;  ///< null: rows are scored one by one
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(InstructionSet set, std::size_t threads, ExactScores exact,
             std::shared_ptr<BackgroundTiles> tiles)
      : set_(set),
        threads_(threads),
        index_{{}, 0, std::move(exact), choose_scan(set)},
        tiles_(std::move(tiles)),
        searchers_([this] {
          return std::make_unique<Searcher>(index_);
        }) {
    index_.filter_reciprocals = filter_reciprocals(index_.exact, threads);
    index_.typical_reciprocal = typical(index_.filter_reciprocals);
  }

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    // Arguments are checked before memory is taken for them.
    check_nearest(list(), queries, k, allowed, neighbors.size());
    check_queries(queries, list().columns());
    search(queries, k, scope_of(allowed, queries.rows), neighbors);
  }
  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    check_vote(list(), queries, vote, shares.size());
    check_queries(queries, list().columns());

    const Scope scope = scope_of(vote.voters, queries.rows);

    // Neighbors are kept for as many queries as fit, and become shares before the next are
    // searched. A `k` beyond the number of documents would only take room.
    const std::size_t k = std::min<std::size_t>(vote.k, list().documents() + std::size_t{1});
    const std::size_t at_once = std::max<std::size_t>(1, kNeighborsHeld / k);

    for (std::size_t first = 0; first < queries.rows; first += at_once) {
      const std::size_t rows = std::min(at_once, queries.rows - first);
      Vote part = vote;
      if (!vote.exclude.empty()) part.exclude = vote.exclude.subspan(first, rows);
      vote_at_once(queries.part(first, rows), part, scope,
                   shares.subspan(first * vote.labels, rows * vote.labels));
    }
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting) const override {
    ExactScores exact(std::move(mirror), weighting, {set_, threads_}, &index_.exact);

    // Tiles are made of the rows alone, so another weighting of the same segments keeps them.
    const bool same_tiles = exact.mirror().has_parts_of(list());
    auto fresh = same_tiles ? tiles_
                            : std::make_shared<BackgroundTiles>(exact.shared_mirror(),
                                                                tiles_->options(), tiles_.get());

    return std::make_unique<CpuBackend>(set_, threads_, std::move(exact), std::move(fresh));
  }

  const SegmentListPointer& mirror() const override { return index_.exact.shared_mirror(); }
  double longest() const override { return index_.exact.longest(); }
  BackendInfo info() const override {
    return {"cpu", describe(set_, threads_), "",
            index_.bytes() + part_of_bytes(tiles_->bytes(), tiles_)};
  }

 private:
  const SegmentList& list() const { return index_.exact.mirror(); }
  Scope scope_of(const DocumentSet* allowed, std::size_t queries) const {
    // Few documents are scored one by one, which needs no tiles; then none are made for them.
    Scope scope{allow(allowed, list()), nullptr};
    if (!scope.allowed.few) scope.tiles = tiles_->for_queries(queries);
    return scope;
  }
  std::size_t threads_for(std::size_t queries) const {
    const std::size_t pairs = queries * list().documents();
    return std::clamp<std::size_t>(pairs / kPairsWorthAThread, 1, threads_);
  }
  /// As above, where rows are scored one by one as well.
  std::size_t threads_for(std::size_t queries, const Scope& scope) const {
    if (scope.allowed.few || scope.tiles != nullptr) return threads_for(queries);
    const std::uint64_t entries = std::max<std::uint64_t>(1, list().nonzeros());
    return std::clamp<std::size_t>(queries * entries / kEntriesWorthAThread, 1, threads_);
  }
  void search(const QueryView& queries, std::size_t k, const Scope& scope,
              std::span<Neighbor> result) const {
    if (queries.count == nullptr) return search_weighed(queries, k, scope, result);

    // Counts are weighed some queries at a time, which bounds the memory of their weights.
    for (std::size_t first = 0; first < queries.rows; first += kQueriesWeighed) {
      const std::size_t rows = std::min(kQueriesWeighed, queries.rows - first);
      Queries weighed;
      for (std::size_t q = first; q < first + rows; ++q)
        add_row_of_counts(queries, q, index_.exact.weighting(), weighed);
      search_weighed(weighed.view(), k, scope, result.subspan(first * k, rows * k));
    }
  }

  void search_weighed(const QueryView& queries, std::size_t k, const Scope& scope,
                      std::span<Neighbor> result) const {
    // Lists shorter than k keep these at their ends.
    std::fill(result.begin(), result.end(), Neighbor{});

    const std::size_t threads = threads_for(queries.rows, scope);
    const std::size_t units = units_of(scope);

    // As many queries as threads keep these busy, each with a query of its own. With fewer, the
    // rows are split, as far as there is something to split.
    if (queries.rows >= threads || units < 2)
      search_whole(queries, scope, threads, k, result);
    else
      search_in_parts(queries, scope, std::min(threads, units), threads, k, result);
  }

  /// How many pieces the rows of a scope can be cut into.
  std::size_t units_of(const Scope& scope) const {
    if (scope.allowed.few) return scope.allowed.places.size();
    if (scope.tiles != nullptr) return scope.tiles->size();
    return list().places();
  }

  void search_whole(const QueryView& queries, const Scope& scope, std::size_t threads,
                    std::size_t k, std::span<Neighbor> result) const {
    // Four chunks for each thread, so that those with costly queries do not make the others wait.
    const std::size_t chunk =
        std::clamp<std::size_t>(queries.rows / (4 * threads), 1, kQueriesAtOnce);

    for_each_chunk(queries.rows, chunk, threads, [&](std::size_t begin, std::size_t end) {
      const Pool<Searcher>::Lease searcher = searchers_.lease();
      for (std::size_t q = begin; q < end; ++q)
        searcher->search(queries, q, scope.allowed, scope.tiles, 0, 1, result.subspan(q * k, k));
    });
  }

  void search_in_parts(const QueryView& queries, const Scope& scope, std::size_t parts,
                       std::size_t threads, std::size_t k, std::span<Neighbor> result) const {
    // Each part finds its own k best, for which there are never more rows than documents.
    const std::size_t room = std::min<std::size_t>(k, list().documents());
    std::vector<Neighbor> best(queries.rows * parts * room);
    std::vector<std::size_t> found(queries.rows * parts);

    // An item is a query and a part. Each writes to its own range of `best`.
    for_each_item(found.size(), threads, [&](std::size_t item) {
      const Pool<Searcher>::Lease searcher = searchers_.lease();
      found[item] =
          searcher->search(queries, item / parts, scope.allowed, scope.tiles, item % parts, parts,
                           std::span(best).subspan(item * room, room));
    });

    // The k best of all are among these. They are merged in the order of neighbors, so the number
    // of parts does not show.
    for (std::size_t q = 0; q < queries.rows; ++q) {
      std::vector<Neighbor> merged;

      for (std::size_t item = q * parts; item < (q + 1) * parts; ++item)
        merged.insert(merged.end(), best.begin() + static_cast<std::ptrdiff_t>(item * room),
                      best.begin() + static_cast<std::ptrdiff_t>(item * room + found[item]));

      std::ranges::sort(merged, [](const Neighbor& a, const Neighbor& b) {
        return ranks_before(a.similarity, a.number, b.similarity, b.number);
      });
      std::copy_n(merged.begin(), std::min(k, merged.size()),
                  result.begin() + static_cast<std::ptrdiff_t>(q * k));
    }
  }

  void vote_at_once(const QueryView& queries, const Vote& vote, const Scope& scope,
                    std::span<LabelShare> shares) const {
    const std::size_t k = std::min<std::size_t>(vote.k, list().documents() + std::size_t{1});

    // One neighbor more where a document is excluded: it is left out of its own list afterwards.
    const std::size_t asked = vote.exclude.empty() ? k : k + 1;
    std::vector<Neighbor> found(queries.rows * asked);
    search(queries, asked, scope, found);

    const auto labels_of = [&](std::uint32_t number) {
      // Refuses a number that no search can have found.
      return list().labels_of_neighbor(number);
    };
    const auto count_votes = [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q)
        write_shares(vote, q, k, std::span(found).subspan(q * asked, asked), labels_of, shares);
    };

    for_each_chunk(queries.rows, kQueriesAtOnce, threads_for(queries.rows), count_votes);
  }

  InstructionSet set_;
  std::size_t threads_;
  Index index_;
  std::shared_ptr<BackgroundTiles> tiles_;
  mutable Pool<Searcher> searchers_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<const Backend> make_cpu_backend(SegmentListPointer mirror,
                                                const TermWeighting& weighting, std::size_t threads,
                                                TileTiming timing) {
  threads = number_of_threads(threads);

  const cpu::InstructionSet set = cpu::choose_instruction_set();
  cpu::ExactScores exact(std::move(mirror), weighting, {set, threads});
  auto tiles = std::make_shared<cpu::BackgroundTiles>(
      exact.shared_mirror(), cpu::tile_options(set, threads, timing), nullptr);
  return std::make_unique<cpu::CpuBackend>(set, threads, std::move(exact), std::move(tiles));
}

}  // namespace kindred
