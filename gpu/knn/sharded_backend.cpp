#include "gpu/knn/sharded_backend.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/knn/vote.h"
#include "gpu/on_demand.h"
#include "gpu/scoring.h"
#include "gpu/segment_list.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

/// What a shard found for a query, as Backend::nearest() orders it.
using ShardNeighbors = std::span<const Neighbor>;

/// Writes the best neighbors of all lists to `merged`: similarity descending, then number
/// ascending. If there are too few, the rest is {kNoDocument, 0}. Takes what it writes off the
/// lists.
void merge(std::span<ShardNeighbors> lists, std::span<Neighbor> merged) {
  for (Neighbor& next : merged) {
    ShardNeighbors* best = nullptr;
    next = {};
    for (ShardNeighbors& list : lists) {
      if (list.empty() || list[0].number == kNoDocument) continue;
      const Neighbor head = list[0];
      if (best != nullptr &&
          !ranks_before(head.similarity, head.number, next.similarity, next.number))
        continue;
      next = head;
      best = &list;
    }
    if (best != nullptr) *best = best->subspan(1);
  }
}

/// What each of some shards found for the queries of a part of a call.
class ShardAnswers {
 public:
  explicit ShardAnswers(std::size_t shards) : answers_(shards) {}

  /// Room for the answer of a shard, whose backend makes it if there is too little. What it held is
  /// lost. Threads may call it at once for different shards.
  std::span<Neighbor> make_room(std::size_t shard, const Backend& backend, std::size_t neighbors) {
    Answer& answer = answers_[shard];
    if (answer.size < neighbors) {
      answer = {};  // goes before there is more
      answer = {backend.make_room(neighbors), neighbors};
    }
    return {answer.room.get(), neighbors};
  }

  /// What a shard found for query `query`, if it was asked for `each` neighbors of each.
  std::span<const Neighbor> of(std::size_t shard, std::size_t query, std::size_t each) const {
    return {answers_[shard].room.get() + query * each, each};
  }

 private:
  struct Answer {
    AnswerRoom room;
    std::size_t size = 0;
  };
  std::vector<Answer> answers_;
};

/// Offsets [first, first + count] of `from`, less the first of them.
std::vector<std::uint64_t> offsets_from_0(const std::uint64_t* from, std::uint32_t first,
                                          std::uint32_t count) {
  std::vector<std::uint64_t> result(from + first, from + first + count + 1);
  for (std::uint64_t& offset : result) offset -= from[first];
  return result;
}

/// Consecutive rows of a segment, as a segment of their own.
struct SegmentSlice : Segment {
  SegmentSlice(SegmentPointer of, std::uint32_t first, std::uint32_t count)
      : whole(std::move(of)), row_begin(offsets_from_0(whole->counts.row_begin, first, count)) {
    for (std::uint32_t row = first; row < first + count; ++row)
      own_numbers.push_back(whole->number(row));
    numbers = own_numbers.data();
    const auto& [all, all_labels, all_numbers] = *whole;
    counts = {count, all.columns, row_begin.data(), all.column + all.row_begin[first],
              all.count + all.row_begin[first]};
    if (all_labels.rows == 0) return;
    label_begin = offsets_from_0(all_labels.row_begin, first, count);
    labels = {count, label_begin.data(), all_labels.label + all_labels.row_begin[first]};
  }

  SegmentSlice(const SegmentSlice&) = delete;
  SegmentSlice& operator=(const SegmentSlice&) = delete;

  const SegmentPointer whole;
  std::vector<std::uint64_t> row_begin, label_begin;
  std::vector<std::uint32_t> own_numbers;
};

/// Rows of a segment that a shard has.
struct Slice {
  SegmentPointer whole, rows;
  std::uint32_t first = 0;  ///< row of the whole
  std::size_t shard = 0;
  std::uint64_t entries() const { return rows->counts.nonzeros() + rows->counts.rows; }
};
using Slices = std::vector<Slice>;

constexpr std::uint32_t kManyRows = 4096;  // of a segment that all shards divide

/// Appends the slices of a segment, one for each shard, of about as many entries each.
void divide(const SegmentPointer& segment, std::size_t shards, Slices& slices) {
  const CsrView& counts = segment->counts;
  const auto entries_before = [&](std::uint32_t row) { return counts.row_begin[row] + row; };
  std::uint32_t first = 0;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::uint64_t wanted = entries_before(counts.rows) * (shard + 1) / shards;
    std::uint32_t low = first, high = counts.rows;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (entries_before(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > first)
      slices.push_back({segment, std::make_shared<const SegmentSlice>(segment, first, low - first),
                        first, shard});
    first = low;
  }
}

/// Which shard has what. A segment stays with the shards that have it. All shards divide large
/// segments, and those of a new mirror; others go to the shard with the fewest entries.
Slices assign(const SegmentList& mirror, std::size_t shards, const Slices& before) {
  Slices result;
  std::vector<std::uint64_t> load(shards);
  for (const Slice& known : before) {
    if (!mirror.has(known.whole)) continue;
    result.push_back(known);
    load[known.shard] += known.entries();
  }
  const std::size_t kept = result.size();
  for (const SegmentList::Part& part : mirror.parts()) {
    const auto is_of = [&](const Slice& slice) { return slice.whole == part.segment; };
    if (std::any_of(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(kept), is_of))
      continue;
    if (before.empty() || part.segment->counts.rows >= kManyRows) {
      divide(part.segment, shards, result);
      continue;
    }
    const auto least = std::min_element(load.begin(), load.end());
    result.push_back(
        {part.segment, part.segment, 0, static_cast<std::size_t>(least - load.begin())});
    *least += result.back().entries();
  }

  return result;
}

/// What a shard has of a set of places of the mirror, by its own places.
RowSet part_of(const RowSet& places, const SegmentList& mirror, const Slices& slices,
               std::size_t shard) {
  RowSet own;
  for (const auto& [segment, first_place] : mirror.parts()) {
    for (const Slice& slice : slices) {
      if (slice.shard != shard || slice.whole != segment) continue;
      const std::size_t first = std::size_t{first_place} + slice.first;
      own.append(places, first, first + slice.rows->counts.rows);
    }
  }
  return own;
}

/// What a shard has of a mirror.
SegmentListPointer list_of(const SegmentList& mirror, const Slices& slices, std::size_t shard) {
  std::vector<SegmentPointer> segments;
  for (const SegmentList::Part& part : mirror.parts())
    for (const Slice& slice : slices)
      if (slice.shard == shard && slice.whole == part.segment) segments.push_back(slice.rows);
  return std::make_shared<const SegmentList>(segments, mirror.columns(),
                                             part_of(mirror.dead(), mirror, slices, shard));
}

constexpr std::size_t kNeighborsHeld = std::size_t{1} << 22;  // of all shards, for part of a call
constexpr std::size_t kPartsAtOnce = 2;      // one is searched for while the other is merged
constexpr std::size_t kQueriesMerged = 256;  // one item of parallel work

struct Shard {
  SegmentListPointer mirror;
  std::unique_ptr<const Backend> backend;
};
using Shards = std::vector<Shard>;

/// Gives all shards the scale of the longest row of all, whose length is returned, and that length
/// if it divides their rows. They have those of their own longest row, or of `given` if that is
/// longer.
double agree_on_longest(Shards& shards, double given, double elsewhere,
                        const TermWeighting& weighting, std::size_t threads) {
  double own_longest = 0;
  for (const Shard& shard : shards) own_longest = std::max(own_longest, shard.backend->longest());
  const double longest = std::max(own_longest, elsewhere);
  const bool divides_all = weighting.divisor == RowDivisor::kLongest;
  for_each_item(shards.size(), threads, [&](std::size_t i) {
    const double own = std::max(shards[i].backend->longest(), given);
    if (scale_exponent(own) != scale_exponent(longest) || (divides_all && own != longest))
      shards[i].backend = shards[i].backend->refreshed(shards[i].mirror, weighting, longest);
  });
  return own_longest;
}

class ShardedBackend final : public Backend {
 public:
  ShardedBackend(SegmentListPointer mirror, Slices slices, Shards shards, double longest,
                 std::size_t threads, std::shared_ptr<Pool<ShardAnswers>> answers)
      : mirror_(std::move(mirror)),
        slices_(std::move(slices)),
        longest_(longest),
        threads_(threads),
        answers_(std::move(answers)),
        shards_(std::move(shards)) {}

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    check_nearest(*mirror_, queries, k, allowed, neighbors.size());
    search(queries, k, allowed, [&](std::size_t q, std::span<ShardNeighbors> lists) {
      merge(lists, neighbors.subspan(q * k, k));
    });
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    check_vote(*mirror_, queries, vote, shares.size());
    const std::size_t k = std::min<std::size_t>(vote.k, mirror_->documents() + std::size_t{1});
    const std::size_t asked = k + (vote.exclude.empty() ? 0 : 1);
    const auto labels_of = [&](std::uint32_t number) { return mirror_->labels_of(number); };
    search(queries, asked, vote.voters, [&](std::size_t q, std::span<ShardNeighbors> lists) {
      std::vector<Neighbor> found(asked);
      merge(lists, found);
      write_shares(vote, q, k, found, labels_of, shares);
    });
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting,
                                           double longest_elsewhere) const override {
    Slices slices = assign(*mirror, shards_.size(), slices_);
    Shards shards(shards_.size());
    const double given = std::max(longest_, longest_elsewhere);
    for_each_item(shards.size(), threads_, [&](std::size_t i) {
      shards[i].mirror = list_of(*mirror, slices, i);
      shards[i].backend = shards_[i].backend->refreshed(shards[i].mirror, weighting, given);
    });
    const double longest = agree_on_longest(shards, given, longest_elsewhere, weighting, threads_);
    return std::make_unique<ShardedBackend>(std::move(mirror), std::move(slices), std::move(shards),
                                            longest, threads_, answers_);
  }

  const SegmentListPointer& mirror() const override { return mirror_; }
  double longest() const override { return longest_; }
  BackendInfo info() const override {
    std::vector<BackendInfo> each;
    for (const Shard& shard : shards_) each.push_back(shard.backend->info());
    BackendInfo info = joined_info(each);
    info.device += ", each with some of the rows";
    return info;
  }

 private:
  /// Calls visit(query, merger, lists) for each query, with what the shards found. Large calls are
  /// searched for part by part, two at a time, so that devices have work while a part is merged.
  /// The shards check the entries of the queries: devices do that far more quickly than the host
  /// would.
  template <typename Visit>
  void search(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
              Visit&& visit) const {
    const std::size_t each = std::min<std::size_t>(k, mirror_->documents()) + 1;
    const std::size_t most = std::max<std::size_t>(1, kNeighborsHeld / (each * shards_.size()));
    const std::size_t at_once = std::min(
        {kPartsAtOnce, threads_, std::max<std::size_t>(1, number_of_chunks(queries.rows, most))});
    for_each_chunk(queries.rows, most, at_once, [&](std::size_t begin, std::size_t end) {
      const Pool<ShardAnswers>::Lease found = answers_->lease();
      search_part(queries.part(begin, end - begin), k, allowed, *found);
      merge_part(*found, begin, end - begin, k, threads_ / at_once, visit);
    });
  }

  void search_part(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
                   ShardAnswers& found) const {
    for_each_item(shards_.size(), threads_, [&](std::size_t i) {
      const auto& [mirror, backend] = shards_[i];
      const std::size_t own = asked_of(shards_[i], k);
      std::optional<DocumentSet> among;
      if (allowed != nullptr)
        among.emplace(mirror, part_of(allowed->places(), *mirror_, slices_, i));
      backend->nearest(queries, own, among ? &*among : nullptr,
                       found.make_room(i, *backend, queries.rows * own));
    });
  }

  /// `found` is of `queries` queries from `first` on.
  template <typename Visit>
  void merge_part(const ShardAnswers& found, std::size_t first, std::size_t queries, std::size_t k,
                  std::size_t threads, Visit&& visit) const {
    for_each_chunk(queries, kQueriesMerged, threads, [&](std::size_t begin, std::size_t end) {
      std::vector<ShardNeighbors> lists(shards_.size());
      for (std::size_t q = begin; q < end; ++q) {
        for (std::size_t i = 0; i < lists.size(); ++i)
          lists[i] = found.of(i, q, asked_of(shards_[i], k));
        visit(first + q, lists);
      }
    });
  }

  /// How many neighbors of a query a shard is asked for.
  static std::size_t asked_of(const Shard& shard, std::size_t k) {
    return std::min<std::size_t>(k, std::max(1u, shard.mirror->places()));
  }

  const SegmentListPointer mirror_;
  const Slices slices_;
  const double longest_;
  const std::size_t threads_;
  /// Of all backends refreshed from one another.
  const std::shared_ptr<Pool<ShardAnswers>> answers_;
  const Shards shards_;
};

}  // namespace

std::unique_ptr<const Backend> shard(SegmentListPointer mirror, const TermWeighting& weighting,
                                     std::size_t shards, std::size_t threads,
                                     const MakeShard& make) {
  if (shards == 0)
    throw Error(Errc::kInvalidArgument, "no device is to hold the mirror; expected at least one");
  threads = number_of_threads(threads);
  Slices slices = assign(*mirror, shards, {});
  Shards made(shards);
  for_each_item(shards, threads, [&](std::size_t i) {
    made[i].mirror = list_of(*mirror, slices, i);
    made[i].backend = make(i, made[i].mirror, weighting);
  });
  const double longest = agree_on_longest(made, 0, 0, weighting, threads);
  return std::make_unique<ShardedBackend>(std::move(mirror), std::move(slices), std::move(made),
                                          longest, threads,
                                          std::make_shared<Pool<ShardAnswers>>([shards] {
                                            return std::make_unique<ShardAnswers>(shards);
                                          }));
}

}  // namespace kindred
