#include "gpu/cpu/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsChecked = 65536;  // one item of parallel work

const TermWeighting& checked(const TermWeighting& weighting, const SegmentList& mirror) {
  check_weighting(weighting, mirror.columns());
  return weighting;
}

}  // namespace

void QueryFactors::assign(std::span<const std::uint32_t> terms,
                          std::span<const double> unit_weights, const TermWeighting& weighting,
                          double scale) {
  // Terms of factor 0 add nothing. They are left out, so that a factor of 0 can mean "free" in the
  // table.
  entries_.clear();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double factor = term_factor(unit_weights[i], weighting.idf[terms[i]], scale);
    if (factor > 0) entries_.push_back({terms[i], factor});
  }

  build_table();
}

void QueryFactors::build_table() {
  // At most half of the slots are taken, so a search in it ends soon. Slots are taken from the
  // upper bits of the hash, which a multiplication mixes best.
  const std::size_t size = std::bit_ceil(2 * entries_.size() + 1);
  table_.assign(size, {0, 0});
  mask_ = size - 1;
  slot_shift_ = std::max(0, 32 - std::countr_zero(size));

  // A bit array of 16 bits a slot answers most look-ups, as most terms of a document are not in the
  // query.
  const int log_bits = std::clamp(std::countr_zero(size) + 4, 6, 32);
  bit_shift_ = 32 - log_bits;
  maybe_.assign((std::size_t{1} << log_bits) / 64, 0);

  // Open addressing: a term goes to its slot or the next free one.
  for (const TermFactor& entry : entries_) {
    std::size_t i = slot(entry.term);
    while (table_[i].factor != 0) i = (i + 1) & mask_;
    table_[i] = entry;

    const std::uint32_t bit = hash(entry.term) >> bit_shift_;
    maybe_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

ExactScores::ExactScores(SegmentListPointer mirror, const TermWeighting& weighting,
                         const MeasureOptions& options, const ExactScores* before)
    : mirror_(std::move(mirror)),
      weighting_(checked(weighting, *mirror_)),
      tf_size_(weighting.tf.size()) {
  // Lengths read the table of tf, so counts are checked against it first.
  check_counts(before, options.threads);
  lengths_ = measure_lengths(*mirror_, weighting_, options);
  set_scale();
}

/// Refuses a count of a live row that the table of tf lacks. Those of `before` are in its own
/// table.
void ExactScores::check_counts(const ExactScores* before, std::size_t threads) const {
  // What `before` shares was checked against a table that is no larger than this one.
  const bool known = before != nullptr && before->tf_size_ <= tf_size_;
  std::uint16_t largest = 0;
  std::mutex mutex;

  // A thread looks for the largest count of its rows and then takes the lock once.
  for (const SegmentList::Part& part : mirror_->parts()) {
    if (known && before->mirror_->has(part.segment)) continue;

    const auto check = [&](std::uint32_t begin, std::uint32_t end) {
      std::uint16_t own = 0;
      mirror_->for_each(part.first_place + begin, part.first_place + end,
                        [&](std::uint32_t, const RowEntries& row) {
                          for (const std::uint16_t count : row.counts) own = std::max(own, count);
                        });

      const std::lock_guard lock(mutex);
      largest = std::max(largest, own);
    };
    for_each_chunk(part.segment->counts.rows, kRowsChecked, threads, check);
  }

  // A mirror without any count needs no table.
  if (largest > 0 && largest >= tf_size_)
    throw Error(Errc::kInvalidArgument, "mirror: a count of " + std::to_string(largest) +
                                            ", but the table of term frequencies has " +
                                            std::to_string(tf_size_) + " values");
}

void ExactScores::set_scale() {
  // The length of dead rows is 0, so they do not count.
  longest_ = lengths_.size() == 0
                 ? 0
                 : *std::max_element(lengths_.data(), lengths_.data() + lengths_.size());

  if (weighting_.divisor == RowDivisor::kLongest) common_length_ = longest_;

  // Both are powers of two, so a scaled value and its reciprocal lose no bit.
  const int exponent = scale_exponent(longest_);
  scale_ = std::ldexp(1.0, exponent);
  unit_ = std::ldexp(1.0, -exponent);
}

void ExactScores::prefetch(std::uint32_t place) const {
  const RowEntries entries = (*mirror_)[place];
  const std::size_t size = entries.size();

  // A cache line has 16 columns or 32 counts.
  for (std::size_t i = 0; i < size; i += 16) __builtin_prefetch(&entries.columns[i]);
  for (std::size_t i = 0; i < size; i += 32) __builtin_prefetch(&entries.counts[i]);
}

float ExactScores::score(std::uint32_t place, const QueryFactors& query) const {
  const RowEntries entries = (*mirror_)[place];

  // Integers are added, so the order of a row's terms does not matter.
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double factor = query.find(entries.columns[i]);
    if (factor != 0) sum += contribution(factor, weighting_.tf[entries.counts[i]]);
  }

  if (sum == 0) return 0;
  return similarity(sum, reciprocal(place));
}

void Candidates::start(const ExactScores& exact, const QueryFactors& query, std::size_t k,
                       int shift) {
  // Four times k rows, so that the buffer is rarely full and the work to halve it is shared by many
  // rows.
  exact_ = &exact;
  query_ = &query;
  k_ = std::min<std::size_t>(k, exact.mirror().documents());
  capacity_ = std::max<std::size_t>(4 * k_, 64);

  // A coarse contribution exceeds the exact one by less than 1, in units of 2^shift, for each term.
  shift_ = shift;
  slack_ = static_cast<std::int64_t>(query.entries().size());

  threshold_ = 0;
  any_order_ = false;
  candidates_.clear();
}

void Candidates::add(std::uint32_t place, std::uint32_t sum, std::uint32_t lacks) {
  add_bounded(place, std::max<std::int64_t>(sum - slack_, 0) << shift_,
              (std::int64_t{sum} + lacks) << shift_);
}

void Candidates::add_exact(std::uint32_t place, std::int64_t sum) { add_bounded(place, sum, sum); }

void Candidates::add_bounded(std::uint32_t place, std::int64_t least, std::int64_t most) {
  const double reciprocal = exact_->reciprocal(place);
  const float upper = similarity(most, reciprocal);
  if (may_count(upper)) push(similarity(least, reciprocal), upper, place);
}

void Candidates::add_score(std::uint32_t place, float score) {
  if (may_count(score)) push(score, score, place);
}

void Candidates::push(float lower, float upper, std::uint32_t place) {
  candidates_.push_back({lower, upper, place, exact_->mirror().number_at(place)});

  if (candidates_.size() < capacity_) return;

  // Bounds alone drop most rows. Exact similarities are computed only where that does not halve the
  // buffer.
  drop_hopeless();
  if (candidates_.size() <= capacity_ / 2) return;

  finish_all();  // close to ties: only exact similarities and rows can tell these apart
  keep_best();
}

void Candidates::tighten() {
  if (candidates_.size() > k_ + k_ / 2) drop_hopeless();
}

void Candidates::drop_hopeless() {
  // With fewer than k rows, all of them may be among the best.
  if (k_ == 0 || candidates_.size() < k_) return;

  const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
  std::ranges::nth_element(candidates_, kth, std::ranges::greater{}, &BoundedCandidate::lower);

  // k rows reach the k-th largest lower bound.
  threshold_ = std::max(threshold_, kth->lower);
  std::erase_if(candidates_, [&](const BoundedCandidate& candidate) {
    // One that may equal the threshold stays, since its number may be lower.
    return candidate.upper < threshold_;
  });
}

void Candidates::finish_all() {
  // A row that waits in main memory takes longer to fetch than to score, so some are fetched ahead.
  constexpr std::size_t kFetchedAhead = 4;

  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i + kFetchedAhead < candidates_.size())
      exact_->prefetch(candidates_[i + kFetchedAhead].place);

    BoundedCandidate& candidate = candidates_[i];
    if (candidate.lower == candidate.upper) continue;
    const float score = exact_->score(candidate.place, *query_);
    candidate.lower = score;
    candidate.upper = score;
  }

  std::erase_if(candidates_, [](const BoundedCandidate& candidate) {
    // It shares no term of weight with the query, or is dead.
    return candidate.upper == 0;
  });
}

void Candidates::keep_best() {
  // All similarities are exact here.
  const std::size_t kept = std::min(k_, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates_.end(), [](const BoundedCandidate& a, const BoundedCandidate& b) {
                      return ranks_before(a.upper, a.number, b.upper, b.number);
                    });

  candidates_.resize(kept);

  // A full list makes its last similarity the bound for all rows to come.
  if (kept == k_ && kept > 0) threshold_ = std::max(threshold_, candidates_.back().lower);
}

std::size_t Candidates::finish(std::span<Neighbor> neighbors) {
  // Bounds drop what they can before exact similarities are computed.
  drop_hopeless();
  finish_all();
  keep_best();

  for (std::size_t i = 0; i < candidates_.size(); ++i)
    neighbors[i] = {candidates_[i].number, candidates_[i].upper};
  return candidates_.size();
}

}  // namespace kindred::cpu
