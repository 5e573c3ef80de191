#include "gpu/knn/sharded_backend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/knn/check.h"
#include "gpu/knn/row_places.h"
#include "gpu/knn/shard_rows.h"
#include "gpu/knn/vote.h"
#include "gpu/pool.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

/// What a shard found for a query, as Backend::nearest() orders it, and which rows the shard has.
struct ShardNeighbors {
  std::span<const Neighbor> neighbors;
  const ShardRows* rows;
};

/// Writes the best neighbors of all lists to `merged`, by their numbers in the mirror: similarity
/// descending, then row ascending. If there are too few, the rest is {kNoRow, 0}. Takes what it
/// writes off the lists.
void merge(std::span<ShardNeighbors> lists, std::span<Neighbor> merged) {
  for (Neighbor& next : merged) {
    ShardNeighbors* best = nullptr;
    next = {};
    for (ShardNeighbors& list : lists) {
      if (list.neighbors.empty() || list.neighbors[0].row == Neighbor::kNoRow) continue;
      const auto [own, similarity] = list.neighbors[0];
      const Neighbor head{list.rows->number_of(own), similarity};
      if (best != nullptr && !ranks_before(head.similarity, head.row, next.similarity, next.row))
        continue;
      next = head;
      best = &list;
    }
    if (best != nullptr) best->neighbors = best->neighbors.subspan(1);
  }
}

/// What each of some shards found for the queries of a part of a call.
class ShardAnswers {
 public:
  explicit ShardAnswers(std::size_t shards) : answers_(shards) {}

  /// Room for the answer of a shard, whose backend makes it if there is too little. What it held is
  /// lost. Threads may call it at once for different shards.
  std::span<Neighbor> make_room(std::size_t shard, const Backend& backend, std::size_t neighbors);

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

std::span<Neighbor> ShardAnswers::make_room(std::size_t shard, const Backend& backend,
                                            std::size_t neighbors) {
  Answer& answer = answers_[shard];
  if (answer.size < neighbors) {
    answer = {};  // goes before there is more
    answer = {backend.make_room(neighbors), neighbors};
  }
  return {answer.room.get(), neighbors};
}

/// Some rows of a matrix and their labels, as a matrix of its own with the same columns. Rows that
/// stand together are borrowed, others are copied.
class MirrorPart {
 public:
  /// Rows [first, first + count).
  MirrorPart(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
             std::uint32_t count);
  /// These rows, which ascend.
  MirrorPart(const CsrView& matrix, const LabelView& labels, std::span<const std::uint32_t> rows);
  MirrorPart(const MirrorPart&) = delete;
  MirrorPart& operator=(const MirrorPart&) = delete;

  const CsrView& rows() const { return rows_; }
  const LabelView& labels() const { return labels_; }

 private:
  void borrow(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
              std::uint32_t count);
  void copy(const CsrView& matrix, const LabelView& labels, std::span<const std::uint32_t> rows);

  CsrView rows_;
  LabelView labels_;
  std::vector<std::uint64_t> row_begin_{0}, label_begin_{0};
  std::vector<std::uint32_t> column_, label_;
  std::vector<std::uint16_t> count_;
};

/// Offsets [first, first + count] of `from`, less the first of them.
std::vector<std::uint64_t> offsets_from_0(const std::uint64_t* from, std::uint32_t first,
                                          std::uint32_t count) {
  if (count == 0) return {0};
  std::vector<std::uint64_t> result(from + first, from + first + count + 1);
  for (std::uint64_t& offset : result) offset -= from[first];
  return result;
}

MirrorPart::MirrorPart(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
                       std::uint32_t count) {
  borrow(matrix, labels, first, count);
}

MirrorPart::MirrorPart(const CsrView& matrix, const LabelView& labels,
                       std::span<const std::uint32_t> rows) {
  const auto count = static_cast<std::uint32_t>(rows.size());
  if (rows.empty() || rows.back() - rows.front() + 1 == count)
    borrow(matrix, labels, rows.empty() ? 0 : rows.front(), count);
  else
    copy(matrix, labels, rows);
}

void MirrorPart::borrow(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
                        std::uint32_t count) {
  row_begin_ = offsets_from_0(matrix.row_begin, first, count);
  rows_ = {count, matrix.columns, row_begin_.data(), nullptr, nullptr};
  if (rows_.nonzeros() > 0) {
    rows_.column = matrix.column + matrix.row_begin[first];
    rows_.count = matrix.count + matrix.row_begin[first];
  }
  if (labels.rows == 0 || count == 0) return;
  label_begin_ = offsets_from_0(labels.row_begin, first, count);
  labels_ = {count, label_begin_.data(), nullptr};
  if (label_begin_.back() > 0) labels_.label = labels.label + labels.row_begin[first];
}

void MirrorPart::copy(const CsrView& matrix, const LabelView& labels,
                      std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) {
    const std::uint64_t begin = matrix.row_begin[row], end = matrix.row_begin[row + std::size_t{1}];
    column_.insert(column_.end(), matrix.column + begin, matrix.column + end);
    count_.insert(count_.end(), matrix.count + begin, matrix.count + end);
    row_begin_.push_back(column_.size());
    const std::span<const std::uint32_t> own = labels.of(row);
    label_.insert(label_.end(), own.begin(), own.end());
    label_begin_.push_back(label_.size());
  }
  const auto count = static_cast<std::uint32_t>(rows.size());
  rows_ = {count, matrix.columns, row_begin_.data(), column_.data(), count_.data()};
  if (labels.rows > 0) labels_ = {count, label_begin_.data(), label_.data()};
}

constexpr std::size_t kNeighborsHeld = std::size_t{1} << 22;  // of all shards, for part of a call
constexpr std::size_t kPartsAtOnce = 2;      // one is searched for while the other is merged
constexpr std::size_t kQueriesMerged = 256;  // one item of parallel work

/// The labels of all rows, by their numbers. Borrows them.
class RowLabels {
 public:
  RowLabels(LabelView labels, std::uint32_t rows) : where_(rows), segments_{{0, labels}} {}

  RowLabels changed(const MirrorChange& change) const {
    RowLabels result = *this;
    result.where_ = where_.changed(change);
    if (change.added.rows > 0) result.segments_.push_back({where_.places(), change.added_labels});
    return result;
  }

  std::uint32_t rows() const { return where_.rows(); }
  std::span<const std::uint32_t> of(std::uint32_t number) const {
    const std::uint32_t place = where_.place_of(number);
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), place,
                         [](std::uint32_t p, const Segment& segment) { return p < segment.first; });
    const Segment& segment = *std::prev(after);
    return segment.labels.of(place - segment.first);
  }

 private:
  struct Segment {
    std::uint32_t first;  ///< its first place
    LabelView labels;
  };
  RowPlaces where_;
  std::vector<Segment> segments_;
};

struct Shard {
  ShardRows rows;
  std::uint64_t entries = 0;  ///< and rows: what it takes in memory, more or less
  std::unique_ptr<const Backend> backend{};
};

using Shards = std::vector<Shard>;

/// What the backends of the shards borrow.
using Parts = std::vector<std::shared_ptr<const MirrorPart>>;

std::uint64_t entries_of(const CsrView& matrix, std::uint32_t row) {
  return matrix.row_begin[row + std::size_t{1}] - matrix.row_begin[row] + 1;
}

/// Gives rows [first, matrix.rows) to the shards with the fewest entries, in at most one run each:
/// give(shard, row) is called for each of them, ascending.
template <typename Give>
void give_rows(const CsrView& matrix, std::uint32_t first, const Shards& shards, Give&& give) {
  std::uint64_t all = 0;
  for (const Shard& shard : shards) all += shard.entries;
  for (std::uint32_t row = first; row < matrix.rows; ++row) all += entries_of(matrix, row);
  std::vector<std::size_t> order(shards.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shards[a].entries < shards[b].entries;
  });
  std::uint32_t row = first;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_last = i + 1 == order.size();
    for (std::uint64_t own = shards[order[i]].entries;
         row < matrix.rows && (is_last || own < all / shards.size()); ++row) {
      own += entries_of(matrix, row);
      give(order[i], row);
    }
  }
}

/// Gives all shards the scale of the longest row of all, whose length is returned, and that length
/// if it divides their rows. They have those of their own longest row, or of `given` if that is
/// longer.
double agree_on_longest(Shards& shards, double given, std::uint32_t columns,
                        const TermWeighting& weighting, std::size_t threads) {
  double longest = 0;
  for (const Shard& shard : shards) longest = std::max(longest, shard.backend->longest());
  MirrorChange change;
  change.added.columns = columns;
  change.longest_of_all = longest;
  const bool divides_all = weighting.divisor == RowDivisor::kLongest;
  for_each_item(shards.size(), threads, [&](std::size_t i) {
    const double own = std::max(shards[i].backend->longest(), given);
    if (scale_exponent(own) != scale_exponent(longest) || (divides_all && own != longest))
      shards[i].backend = shards[i].backend->refreshed(change, weighting);
  });
  return longest;
}

/// The share of a shard in a change.
struct PartOfChange {
  std::vector<std::uint32_t> rows;    ///< of `added`
  std::vector<std::uint32_t> number;  ///< theirs in the shard
};

class ShardedBackend final : public Backend {
 public:
  ShardedBackend(Shards shards, Parts parts, RowLabels labels, std::uint32_t columns,
                 double longest, std::size_t threads, std::shared_ptr<Pool<ShardAnswers>> answers)
      : parts_(std::move(parts)),
        labels_(std::move(labels)),
        columns_(columns),
        longest_(longest),
        threads_(threads),
        answers_(std::move(answers)),
        shards_(std::move(shards)) {}

  void nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
               std::span<Neighbor> neighbors) const override;
  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override;
  std::unique_ptr<const Backend> refreshed(const MirrorChange& change,
                                           const TermWeighting& weighting) const override;
  double longest() const override { return longest_; }
  BackendInfo info() const override;

 private:
  MirrorSize size() const { return {labels_.rows(), columns_}; }
  std::vector<RowSet> divided(const RowSet* rows) const;
  template <typename Take>
  void search(const QueryView& queries, std::size_t k, const RowSet* allowed, Take&& take) const;
  void search_part(const QueryView& queries, std::size_t k, const std::vector<RowSet>& allowed,
                   ShardAnswers& found) const;
  template <typename Take>
  void merge_part(const ShardAnswers& found, std::size_t first, std::size_t queries, std::size_t k,
                  std::size_t threads, Take&& take) const;
  /// How many neighbors of a query a shard is asked for.
  std::size_t asked_of(const Shard& shard, std::size_t k) const {
    return std::min<std::size_t>(k, std::max(1u, shard.rows.size()));
  }
  std::vector<PartOfChange> divided(const MirrorChange& change, Shards& shards) const;

  const Parts parts_;
  const RowLabels labels_;
  const std::uint32_t columns_;
  const double longest_;
  const std::size_t threads_;
  /// Of all backends refreshed from one another.
  const std::shared_ptr<Pool<ShardAnswers>> answers_;
  const Shards shards_;  ///< the last: goes before what it borrows
};

/// The rows of each shard that are in the set; none if all rows are meant.
std::vector<RowSet> ShardedBackend::divided(const RowSet* rows) const {
  std::vector<RowSet> parts;
  if (rows == nullptr) return parts;
  for (const Shard& shard : shards_) parts.push_back(shard.rows.part_of(*rows));
  return parts;
}

/// Calls take(query, merger, lists) for each query, with what the shards found. Large calls are
/// searched for part by part, two at a time, so that devices have work while a part is merged. The
/// shards check the entries of the queries: devices do that far more quickly than the host would.
template <typename Take>
void ShardedBackend::search(const QueryView& queries, std::size_t k, const RowSet* allowed,
                            Take&& take) const {
  const std::vector<RowSet> parts = divided(allowed);
  const std::size_t each = std::min<std::size_t>(k, size().rows) + 1;
  const std::size_t most = std::max<std::size_t>(1, kNeighborsHeld / (each * shards_.size()));
  const std::size_t at_once = std::min(
      {kPartsAtOnce, threads_, std::max<std::size_t>(1, number_of_chunks(queries.rows, most))});
  for_each_chunk(queries.rows, most, at_once, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<ShardAnswers> found = answers_->take();
    search_part(queries.part(begin, end - begin), k, parts, *found);
    merge_part(*found, begin, end - begin, k, threads_ / at_once, take);
    answers_->give_back(std::move(found));
  });
}

/// `allowed` is divided().
void ShardedBackend::search_part(const QueryView& queries, std::size_t k,
                                 const std::vector<RowSet>& allowed, ShardAnswers& found) const {
  for_each_item(shards_.size(), threads_, [&](std::size_t i) {
    const Backend& backend = *shards_[i].backend;
    const std::size_t own = asked_of(shards_[i], k);
    backend.nearest(queries, own, allowed.empty() ? nullptr : &allowed[i],
                    found.make_room(i, backend, queries.rows * own));
  });
}

/// `found` is of `queries` queries from `first` on.
template <typename Take>
void ShardedBackend::merge_part(const ShardAnswers& found, std::size_t first, std::size_t queries,
                                std::size_t k, std::size_t threads, Take&& take) const {
  for_each_chunk(queries, kQueriesMerged, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<ShardNeighbors> lists(shards_.size());
    for (std::size_t q = begin; q < end; ++q) {
      for (std::size_t i = 0; i < lists.size(); ++i)
        lists[i] = {found.of(i, q, asked_of(shards_[i], k)), &shards_[i].rows};
      take(first + q, lists);
    }
  });
}

void ShardedBackend::nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
                             std::span<Neighbor> neighbors) const {
  check_nearest(size(), queries, k, allowed, neighbors.size());
  search(queries, k, allowed, [&](std::size_t q, std::span<ShardNeighbors> lists) {
    merge(lists, neighbors.subspan(q * k, k));
  });
}

void ShardedBackend::vote(const QueryView& queries, const Vote& vote,
                          std::span<LabelShare> shares) const {
  check_vote(size(), queries, vote, shares.size());
  const std::size_t k = std::min<std::size_t>(vote.k, size().rows + std::size_t{1});
  const std::size_t asked = k + (vote.exclude.empty() ? 0 : 1);
  const auto labels_of = [&](std::uint32_t row) { return labels_.of(row); };
  search(queries, asked, vote.voters, [&](std::size_t q, std::span<ShardNeighbors> lists) {
    std::vector<Neighbor> found(asked);
    merge(lists, found);
    write_shares(vote, q, k, found, labels_of, shares);
  });
}

/// Divides a change among the shards, which get the rows that they have after it.
std::vector<PartOfChange> ShardedBackend::divided(const MirrorChange& change,
                                                  Shards& shards) const {
  std::vector<PartOfChange> parts(shards.size());
  const auto give = [&](std::size_t shard, std::uint32_t row, std::uint32_t own_number) {
    parts[shard].rows.push_back(row);
    parts[shard].number.push_back(own_number);
    shards[shard].entries += entries_of(change.added, row);
  };
  const auto shard_of = [&](std::uint32_t number) {
    return std::find_if(shards.begin(), shards.end(), [&](const Shard& shard) {
      return shard.rows.find(number) != ShardRows::kNone;
    });
  };
  std::uint32_t row = 0;
  for (; change.number != nullptr && row < change.added.rows; ++row) {
    const std::uint32_t number = change.number[row];
    if (number >= size().rows) break;
    const auto shard = shard_of(number);
    give(static_cast<std::size_t>(shard - shards.begin()), row, shard->rows.find(number));
  }
  const std::uint32_t replaced = row;
  give_rows(change.added, replaced, shards, [&](std::size_t shard, std::uint32_t added) {
    const std::uint32_t own = shards[shard].rows.size();
    shards[shard].rows.append(size().rows + (added - replaced), 1);
    give(shard, added, own);
  });
  return parts;
}

std::unique_ptr<const Backend> ShardedBackend::refreshed(const MirrorChange& change,
                                                         const TermWeighting& weighting) const {
  check_change(size(), change, threads_);
  RowLabels labels = labels_.changed(change);
  const std::uint32_t columns = size_after(size(), change).columns;
  Shards shards;
  for (const Shard& shard : shards_) shards.push_back({shard.rows, shard.entries, nullptr});
  const std::vector<PartOfChange> divisions = divided(change, shards);
  Parts parts = parts_;
  const std::size_t first = parts.size();
  for (const PartOfChange& own : divisions)
    parts.push_back(
        std::make_shared<const MirrorPart>(change.added, change.added_labels, own.rows));
  for_each_item(shards.size(), threads_, [&](std::size_t i) {
    MirrorChange own;
    own.added = parts[first + i]->rows();
    own.added.columns = columns;
    own.added_labels = parts[first + i]->labels();
    own.number = divisions[i].number.data();
    const RowSet dead = change.dead != nullptr ? shards[i].rows.part_of(*change.dead) : RowSet();
    if (change.dead != nullptr) own.dead = &dead;
    own.longest_of_all = longest_;
    shards[i].backend = shards_[i].backend->refreshed(own, weighting);
  });
  const double longest = agree_on_longest(shards, longest_, columns, weighting, threads_);
  std::erase_if(parts, [](const auto& part) { return part->rows().rows == 0; });
  return std::make_unique<ShardedBackend>(std::move(shards), std::move(parts), std::move(labels),
                                          columns, longest, threads_, answers_);
}

BackendInfo ShardedBackend::info() const {
  std::vector<BackendInfo> each;
  for (const Shard& shard : shards_) each.push_back(shard.backend->info());
  BackendInfo info = joined_info(each);
  info.device += ", each with some of the rows";
  return info;
}

}  // namespace

std::unique_ptr<const Backend> shard(CsrView mirror, const TermWeighting& weighting,
                                     LabelView labels, std::size_t shards, std::size_t threads,
                                     const MakeShard& make) {
  if (shards == 0)
    throw Error(Errc::kInvalidArgument, "no device is to hold the mirror; expected at least one");
  threads = number_of_threads(threads);
  check_labels(labels, mirror.rows, threads);
  Shards made(shards);
  give_rows(mirror, 0, Shards(shards), [&](std::size_t shard, std::uint32_t row) {
    made[shard].rows.append(row, 1);
    made[shard].entries += entries_of(mirror, row);
  });
  Parts parts;
  for (const Shard& own : made) {
    const std::uint32_t rows = own.rows.size();
    parts.push_back(std::make_shared<const MirrorPart>(
        mirror, labels, rows == 0 ? 0 : own.rows.number_of(0), rows));
  }
  for_each_item(shards, threads, [&](std::size_t i) {
    made[i].backend = make(i, parts[i]->rows(), weighting, parts[i]->labels());
  });
  const double longest = agree_on_longest(made, 0, mirror.columns, weighting, threads);
  return std::make_unique<ShardedBackend>(std::move(made), std::move(parts),
                                          RowLabels(labels, mirror.rows), mirror.columns, longest,
                                          threads, std::make_shared<Pool<ShardAnswers>>([shards] {
                                            return std::make_unique<ShardAnswers>(shards);
                                          }));
}

}  // namespace kindred
