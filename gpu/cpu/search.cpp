#include "gpu/cpu/search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

// Searches the tiles for one query: adds up the lists of its terms, scans the sums, finishes the
// survivors.
//
// Floor:
// - one to two cycles per posting of the lists: a load of the id, a load and a store of the
//   accumulator, in the second-level cache;
// - documents / 16 cycles per plane (scan.cpp);
// - the directory's two cache misses per term and tile.
//
// Shape:
// - All slices are looked up, and their beginnings prefetched, before the first is added. So the
//   misses overlap.
// - Each list is prefetched as a whole while those before it are added.
// - A run has one count, so its contribution is computed once and the loop only adds.
// - Lists that add next to nothing are not added. If that lets too many documents through, they are
//   put back.

namespace kindred::cpu {
namespace {

constexpr std::size_t kMaxFilterTerms = std::size_t{1} << 30;  // coarse_shift() takes no more
/// No document's length reaches 2^62 units. A sum exceeds the length only by rounding: by half a
/// unit per term, and by a relative 2^-22, which is far more than the error of a length.
constexpr std::int64_t kMostSum = (std::int64_t{1} << 62) + (std::int64_t{1} << 40);
constexpr std::size_t kListsAhead = 2;  // lists prefetched before they are added
constexpr std::size_t kManyPassed = 4;  // times k; about k are expected to pass a scan

// What is left out of a tile: long lists that add next to nothing, such as those of common words.
// Sums then lack no more than a bound, and answers stay exact (docs/scoring.md).
constexpr double kLeftOut = 0.03;                // of the sum that a neighbor needs
constexpr std::ptrdiff_t kWorthLeavingOut = 64;  // postings; fewer are added in no time
constexpr std::uint32_t kMostCount = 3;          // beyond the planes; most postings have less
constexpr std::uint32_t kPlaneCost = 8;          // documents whose postings cost as much as a plane

/// One count more that may be left out of a slice.
struct Step {
  float gain;  ///< postings for each unit that sums lack
  std::uint32_t slice;
  std::uint32_t count;
  std::uint32_t lacks;  ///< see Slice
};

/// Appends the counts of a slice, lowest first, as long as their contributions are at most `most`.
void add_steps(std::uint32_t number, const Slice& slice, std::uint32_t documents, double most,
               const CoarseContributions& coarse, std::vector<Step>& steps) {
  // A list that takes no time to add is not worth a look.
  if (slice.end - slice.begin < kWorthLeavingOut && !slice.has_planes) return;

  std::uint32_t lacks = 0;

  // Leaving out a count leaves out all lower ones, so what is lacking is the largest contribution
  // so far. A step is worth its postings for each unit more that sums lack.
  const auto add = [&](std::uint32_t count, std::uint32_t postings) {
    const std::uint32_t more = std::max(lacks, coarse.of(slice.factor, count));
    if (more > most) return false;
    const float each = static_cast<float>(more - lacks) + 1;
    steps.push_back({static_cast<float>(postings) / each, number, count, more});
    lacks = more;
    return true;
  };

  // Planes come first: plane `count` has all documents with at least that count, and costs as much
  // to add as some postings.
  const std::uint16_t* p = slice.begin;
  const std::uint32_t planes = slice.has_planes ? p[0] : 0;
  for (std::uint32_t count = 1; count <= planes; ++count)
    if (!add(count, documents / kPlaneCost)) return;

  // Then runs of equal counts, ascending, as far as the planes leave any. A mixed run, the last,
  // has many counts and is always added.
  if (slice.has_planes) p += 3;
  for (; p != slice.end && p[0] != Tile::kMixed && p[0] <= planes + kMostCount; p = Tile::end_of(p))
    if (!add(p[0], p[1])) return;
}

/// sums[id[i]] += add for i < n, with four ids per load, since loads and stores are the limit.
void add_run(std::uint32_t* sums, const std::uint16_t* id, std::size_t n, std::uint32_t add) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const std::uint64_t ids = std::bit_cast<std::uint64_t>(
        std::array<std::uint16_t, 4>{id[i], id[i + 1], id[i + 2], id[i + 3]});
    sums[ids & 0xFFFF] += add;
    sums[ids >> 16 & 0xFFFF] += add;
    sums[ids >> 32 & 0xFFFF] += add;
    sums[ids >> 48] += add;
  }
  for (; i < n; ++i) sums[id[i]] += add;
}

/// Adds a mixed run, where every id has a count of its own. `base` is in the sums already.
void add_mixed_run(std::uint32_t* sums, const std::uint16_t* id, std::size_t n,
                   const CoarseContributions& coarse, double factor, std::uint32_t base) {
  const std::uint16_t* const count = id + n;
  const CoarseContributions own = coarse;  // whose members no store can change
  for (std::size_t i = 0; i < n; ++i) sums[id[i]] += own.of(factor, count[i]) - base;
}

/// Prefetches all lines of a list. Most lists are too short for the processor's own prefetcher.
void prefetch_list(const std::uint16_t* begin, const std::uint16_t* end) {
  constexpr std::ptrdiff_t kLine = 64 / sizeof(*begin);
  for (; end - begin > kLine; begin += kLine) __builtin_prefetch(begin);
  if (begin != end) __builtin_prefetch(end - 1);
}

/// Part number `part` of `parts` equal ranges of items.
template <typename Item>
std::span<const Item> part_of(std::span<const Item> items, std::size_t part, std::size_t parts) {
  const std::size_t begin = items.size() * part / parts;
  const std::size_t end = items.size() * (part + 1) / parts;
  return items.subspan(begin, end - begin);
}

}  // namespace

void QueryTables::start(const QueryFactors& query, const TermWeighting& weighting,
                        std::size_t columns) {
  // The tables are as large as the mirror's dictionary and stay 0 but for the query's terms. So
  // end() clears just these.
  tf_ = weighting.tf.data();
  if (factor_.size() < columns) {
    terms_.resize((columns + 31) / 32);
    factor_.resize(columns);
  }

  for (const auto& [term, factor] : query.entries()) {
    terms_[term / 32] |= std::uint32_t{1} << term % 32;
    factor_[term] = factor;
  }
}

void QueryTables::end(const QueryFactors& query) {
  for (const auto& [term, factor] : query.entries()) {
    terms_[term / 32] = 0;
    factor_[term] = 0;
  }
}

std::int64_t QueryTables::sum(const RowEntries& row) const {
  std::int64_t sum = 0;

  // Few terms of a row are in the query. A bit for each term fits the cache, so most of them cost
  // no look-up of a factor.
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint32_t term = row.columns[i];
    if ((terms_[term / 32] >> term % 32 & 1) != 0)
      sum += contribution(factor_[term], tf_[row.counts[i]]);
  }
  return sum;
}

std::size_t Index::bytes() const {
  return exact.bytes() + filter_reciprocals.size() * sizeof(float);
}

std::size_t Searcher::search(const QueryView& queries, std::size_t q, const AllowedPlaces& allowed,
                             const Tiles* tiles, std::size_t part, std::size_t parts,
                             std::span<Neighbor> neighbors) {
  // Prepares the query: its factors, and a hash to find them.
  const ExactScores& exact = index_.exact;
  const std::uint64_t first = queries.row_begin[q];
  const std::size_t given = queries.row_begin[q + 1] - first;
  query_.assign({queries.term + first, given}, {queries.weight + first, given}, exact.weighting(),
                exact.scale());

  const std::size_t terms = query_.entries().size();
  if (terms == 0) return 0;

  // One bit more than the sums need, for what is left out of them.
  const auto rounding = static_cast<std::int64_t>(terms);
  coarse_ = {exact.weighting().tf, 0};
  if (terms <= kMaxFilterTerms) coarse_.shift = coarse_shift(kMostSum + rounding, rounding) + 1;
  candidates_.start(exact, query_, neighbors.size(), coarse_.shift);

  // Parts are equal ranges of what there is to go through: of the listed rows, of all rows, or of
  // tiles.
  if (allowed.few) {
    score_each(part_of(std::span<const std::uint32_t>(allowed.places), part, parts));
  } else if (tiles == nullptr) {
    const std::size_t places = exact.mirror().places();
    score_range(static_cast<std::uint32_t>(places * part / parts),
                static_cast<std::uint32_t>(places * (part + 1) / parts), allowed.words.data());
  } else {
    search_tiles(part_of(std::span<const PlacedTile>(*tiles), part, parts), allowed.words.data());
  }

  // Until a query has a threshold, the next one guesses from those before it what it may leave out.
  // A bad guess costs time only.
  const std::size_t found = candidates_.finish(neighbors);
  float last = 0;
  if (found > 0 && found == neighbors.size()) last = neighbors[found - 1].similarity;
  usual_ = usual_ > 0 ? (3 * usual_ + last) / 4 : last;
  return found;
}

void Searcher::score_each(std::span<const std::uint32_t> places) {
  // Places ascend, so the last one tells whether any is past the ascending segments.
  if (!places.empty() && places.back() >= index_.exact.mirror().ascending())
    candidates_.expect_any_order();

  for (const std::uint32_t place : places)
    candidates_.add_score(place, index_.exact.score(place, query_));
}

void Searcher::score_range(std::uint32_t begin, std::uint32_t end, const std::uint64_t* allowed) {
  // The ascending part of the mirror ends at a segment, and places of later segments may have lower
  // numbers.
  const ExactScores& exact = index_.exact;
  if (end > exact.mirror().ascending()) candidates_.expect_any_order();

  tables_.start(query_, exact.weighting(), exact.mirror().columns());
  exact.mirror().for_each(begin, end, [&](std::uint32_t place, const RowEntries& entries) {
    if (allowed != nullptr && (allowed[place / 64] >> place % 64 & 1) == 0) return;
    const std::int64_t sum = tables_.sum(entries);
    if (sum != 0) candidates_.add_exact(place, sum);
  });
  tables_.end(query_);
}

void Searcher::search_tiles(std::span<const PlacedTile> tiles, const std::uint64_t* allowed) {
  // The accumulators grow to the largest tile, and are 0 between tiles.
  std::size_t documents = accumulators_.size();
  for (const PlacedTile& placed : tiles)
    documents = std::max<std::size_t>(documents, placed.tile->padded());
  if (documents > accumulators_.size()) accumulators_ = AlignedArray<std::uint32_t>(documents);

  scanned_ = 0;
  for (const PlacedTile& placed : tiles) {
    if (placed.end_place() > index_.exact.mirror().ascending()) candidates_.expect_any_order();
    search_tile(placed, allowed);
  }
}

void Searcher::search_tile(const PlacedTile& placed, const std::uint64_t* allowed) {
  const Tile& tile = *placed.tile;
  find_slices(tile);
  const std::uint32_t lacks = leave_out(tile);
  accumulate(tile);
  scan(placed, allowed_of(placed, allowed), lacks);
}

/// The bits of a tile's documents: those by place, or a copy if they begin inside a word. Null if
/// all are allowed.
const std::uint64_t* Searcher::allowed_of(const PlacedTile& placed, const std::uint64_t* allowed) {
  constexpr std::uint32_t kBits = 64;
  if (allowed == nullptr) return nullptr;
  const std::uint64_t* const first = allowed + placed.first_place / kBits;
  const std::uint32_t shift = placed.first_place % kBits;
  if (shift == 0) return first;

  // Each word takes its upper bits from the next one, which is read only if it has bits of the
  // tile.
  const std::uint32_t documents = placed.tile->documents;
  allowed_.assign(placed.tile->padded() / kBits, 0);
  for (std::uint32_t i = 0; i * kBits < documents; ++i) {
    allowed_[i] = first[i] >> shift;
    if (i * kBits + (kBits - shift) < documents) allowed_[i] |= first[i + 1] << (kBits - shift);
  }
  return allowed_.data();
}

void Searcher::find_slices(const Tile& tile) {
  slices_.clear();

  const std::size_t terms = tile.start.size() - 1;  // the mirror may have more terms by now
  for (const auto& [term, factor] : query_.entries()) {
    // Terms ascend, so all that follow are too new for the tile as well.
    if (term >= terms) break;

    const std::uint32_t first = tile.start[term];
    const std::uint32_t begin = first & ~Tile::kHasPlanes;
    const std::uint32_t end = tile.start[term + std::size_t{1}] & ~Tile::kHasPlanes;
    if (begin == end) continue;

    // The list's first line is on its way while the other terms are looked up.
    const std::uint16_t* postings = tile.postings.data();
    __builtin_prefetch(postings + begin);
    slices_.push_back({postings + begin, postings + end, factor, first != begin, 0, 0});
  }
}

/// sum * reciprocal is the similarity times this; a part in 2^20 covers the roundings.
double Searcher::unit() const { return std::ldexp(1 - 0x1p-20, 62 - coarse_.shift); }

/// Chooses by the threshold or, before there is one, by what it was for the queries before. Returns
/// what sums lack then, at most.
std::uint32_t Searcher::leave_out(const Tile& tile) {
  constexpr double kMost = 0x1p28;  // half of the bit that sums have for it

  if (!(index_.typical_reciprocal > 0)) return 0;

  // What a neighbor needs at least: its similarity, as a sum of a document of typical length. A
  // small share of that may be lacking.
  const float threshold = candidates_.threshold();
  const double needed = threshold > 0 ? threshold : usual_;
  const double most = std::min(kLeftOut * needed * unit() / index_.typical_reciprocal, kMost);
  if (!(most >= 1)) return 0;

  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < slices_.size(); ++i)
    add_steps(i, slices_[i], tile.documents, most, coarse_, steps);

  // The steps that save the most postings for what they lack come first, until the room is used up.
  std::ranges::sort(steps, std::greater(), &Step::gain);
  const auto room = static_cast<std::uint32_t>(most);
  std::uint32_t lacks = 0;
  for (const Step& step : steps) {
    // Steps of a slice go on from what is left out already. A later one may be taken without those
    // before it, since it contains them.
    Slice& slice = slices_[step.slice];
    if (step.count <= slice.left_out || step.lacks - slice.lacks > room - lacks) continue;
    lacks += step.lacks - slice.lacks;
    slice.left_out = step.count;
    slice.lacks = step.lacks;
  }
  return lacks;
}

/// Adds everything to the sums of the documents from `begin` on; none of those before has any.
void Searcher::put_back(const Tile& tile, std::uint32_t begin) {
  // Documents before `begin` are scanned already and have sums of 0. What is added to them once
  // more is cleared again.
  std::fill(accumulators_.data() + begin, accumulators_.data() + tile.padded(), 0u);
  for (Slice& slice : slices_) {
    slice.left_out = 0;
    slice.lacks = 0;
  }
  accumulate(tile);
  std::fill(accumulators_.data(), accumulators_.data() + begin, 0u);
}

void Searcher::accumulate(const Tile& tile) {
  // Planes are only gathered here. The scan adds them, while it has the sums in registers.
  planes_.clear();
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const Slice& slice = slices_[i];

    // Lists are fetched some time before they are added, since most are too short to be fetched by
    // the processor itself.
    if (i + kListsAhead < slices_.size())
      prefetch_list(slices_[i + kListsAhead].begin, slices_[i + kListsAhead].end);

    std::uint32_t base = 0;  // what the planes add already
    const std::uint16_t* p = slice.has_planes ? add_planes(tile, slice, base) : slice.begin;

    // A document of a plane's list has what the planes add; runs add the rest.
    while (p != slice.end) {
      const std::uint32_t count = p[0];
      const std::uint32_t length = p[1];
      if (count == Tile::kMixed)
        add_mixed_run(accumulators_.data(), p + 2, length, coarse_, slice.factor, base);
      else if (count > slice.left_out)
        add_run(accumulators_.data(), p + 2, length, coarse_.of(slice.factor, count) - base);
      p = Tile::end_of(p);
    }
  }
}

const std::uint16_t* Searcher::add_planes(const Tile& tile, const Slice& slice,
                                          std::uint32_t& base) {
  // The header of the slice: how many planes there are, and the number of the first.
  const std::uint32_t planes = slice.begin[0];
  const std::size_t first = slice.begin[1] | std::size_t{slice.begin[2]} << 16;

  // A plane has the documents with at least its count, so it adds only what that count is worth
  // more than the one before. Planes that are left out add nothing, which makes the next one add
  // all.
  for (std::uint32_t j = slice.left_out; j < planes; ++j) {
    const std::uint32_t value = coarse_.of(slice.factor, j + 1);
    const std::uint16_t* bits = tile.planes.data() + (first + j) * tile.plane_words();
    if (value != base) planes_.push_back({bits, value - base});
    base = value;
  }

  return slice.begin + 3;
}

void Searcher::scan(const PlacedTile& placed, const std::uint64_t* allowed, std::uint32_t lacks) {
  const Tile& tile = *placed.tile;

  const std::uint32_t padded = tile.padded();
  ScanInput input{accumulators_.data(),
                  index_.filter_reciprocals.data() + placed.first_slot,
                  planes_.data(),
                  planes_.size(),
                  allowed,
                  0,
                  0,
                  0,
                  lacks};

  std::size_t passed = 0;  // documents of a range

  while (input.begin < padded) {
    survivors_.size = 0;

    // The threshold rises from range to range, as candidates come in.
    input.threshold = static_cast<float>(candidates_.threshold() * unit());
    // As many documents as were scanned so far. About k of them pass the threshold that those gave.
    input.end = std::min(padded, input.begin + std::max(scanned_, kScanGroup));

    const std::uint32_t done = index_.scan(input, survivors_);
    for (std::uint32_t i = 0; i < survivors_.size; ++i)
      candidates_.add(placed.first_place + survivors_.document[i], survivors_.sum[i], input.lacks);
    candidates_.tighten();

    // If what is left out lets too many through, it is added after all, to the documents that are
    // not scanned yet.
    passed += survivors_.size;
    if (input.lacks > 0 && passed > kManyPassed * candidates_.wanted() + kScanGroup) {
      put_back(tile, done);
      input.planes = planes_.data();
      input.plane_count = planes_.size();
      input.lacks = 0;
    }

    // The scan may stop in between, for want of room for survivors. Then it goes on with the rest
    // of the range.
    if (done == input.end) passed = 0;
    scanned_ = std::min(scanned_ + done - input.begin, std::uint32_t{1} << 30);
    input.begin = done;
  }
}

}  // namespace kindred::cpu
