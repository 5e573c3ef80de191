#include "gpu/cpu/candidates.h"

#include <algorithm>

#include "gpu/scoring.h"

namespace kindred::cpu {

void Candidates::start(const ExactScores& exact, const QueryFactors& query, std::size_t k,
                       int shift) {
  exact_ = &exact;
  query_ = &query;
  k_ = std::min<std::size_t>(k, exact.mirror().rows());
  capacity_ = std::max<std::size_t>(4 * k_, 64);
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
  if (may_count(upper))
    push({similarity(least, reciprocal), upper, exact_->mirror().number_at(place)});
}

void Candidates::add_score(std::uint32_t place, float score) {
  if (may_count(score)) push({score, score, exact_->mirror().number_at(place)});
}

void Candidates::push(BoundedCandidate candidate) {
  candidates_.push_back(candidate);
  if (candidates_.size() < capacity_) return;
  drop_hopeless();
  if (candidates_.size() <= capacity_ / 2) return;
  finish_all();  // close to ties: only exact similarities and rows can tell these apart
  keep_best();
}

void Candidates::tighten() {
  if (candidates_.size() > k_ + k_ / 2) drop_hopeless();
}

void Candidates::drop_hopeless() {
  if (k_ == 0 || candidates_.size() < k_) return;
  const auto kth = candidates_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
  std::nth_element(
      candidates_.begin(), kth, candidates_.end(),
      [](const BoundedCandidate& a, const BoundedCandidate& b) { return a.lower > b.lower; });
  threshold_ = std::max(threshold_, kth->lower);
  std::erase_if(candidates_, [&](const BoundedCandidate& c) { return c.upper < threshold_; });
}

void Candidates::finish_all() {
  constexpr std::size_t kAhead = 4;
  const SegmentList& mirror = exact_->mirror();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i + kAhead < candidates_.size())
      exact_->prefetch(mirror.place_of(candidates_[i + kAhead].number));
    BoundedCandidate& candidate = candidates_[i];
    if (candidate.lower != candidate.upper)
      candidate.lower = candidate.upper = exact_->score(mirror.place_of(candidate.number), *query_);
  }
  std::erase_if(candidates_, [](const BoundedCandidate& c) { return c.upper == 0; });
}

void Candidates::keep_best() {
  const std::size_t kept = std::min(k_, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates_.end(), [](const BoundedCandidate& a, const BoundedCandidate& b) {
                      return ranks_before(a.upper, a.number, b.upper, b.number);
                    });
  candidates_.resize(kept);
  if (kept == k_ && kept > 0) threshold_ = std::max(threshold_, candidates_.back().lower);
}

std::size_t Candidates::finish(std::span<Neighbor> neighbors) {
  drop_hopeless();
  finish_all();
  keep_best();
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    neighbors[i] = {candidates_[i].number, candidates_[i].upper};
  return candidates_.size();
}

}  // namespace kindred::cpu
