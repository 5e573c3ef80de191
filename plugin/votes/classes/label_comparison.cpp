#include "plugin/votes/classes/label_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "plugin/votes/classes/counterparts.h"

namespace kindred {

void LabelComparison::compare(const SparseVector& query, std::span<const std::uint32_t> labels,
                              const LeftOut* left_out) {
  begin(labels, left_out);
  add(query);
  finish();
}

void LabelComparison::begin(std::span<const std::uint32_t> labels, const LeftOut* left_out) {
  left_out_ = left_out;
  compared_.clear();
  for (const std::uint32_t label : labels) {
    Compared& own = compared_.emplace_back();
    own.label = label;
    if (left_out == nullptr) continue;
    own.is_own = std::ranges::binary_search(left_out->labels, label);
    own.lacks_counterpart = !own.is_own && left_out->counterparts != nullptr &&
                            left_out->counterparts->is_there_[label] != 0;
  }

  absent_.clear();
  shared_ = 0;
  gone_ = 0;
  gone_square_ = 0;
  if (left_out == nullptr) return;

  // What the sums lose with the document.
  const SparseVector& vector = left_out->vector;
  for (const double weight : vector.weights) {
    const std::int64_t x = fixed_point(weight, kSumUnit);
    gone_ += x;
    gone_square_ += Wide{x} * x;
  }
  for (Compared& own : compared_)
    if (own.is_own) own.with_left_out = product_with(vector, own.label);
}

/// The product of a vector and the sum of a label.
LabelComparison::Wide LabelComparison::product_with(const SparseVector& vector,
                                                    std::uint32_t label) const {
  Wide product = 0;
  for (std::size_t i = 0; i < vector.terms.size(); ++i) {
    const TermSums& term = sums_.term(vector.terms[i]);
    const auto found = std::ranges::lower_bound(term.labels, label);
    if (found == term.labels.end() || *found != label) continue;
    product += Wide{fixed_point(vector.weights[i], kSumUnit)} *
               term.sums[static_cast<std::size_t>(found - term.labels.begin())].sum;
  }
  return product;
}

void LabelComparison::add(const SparseVector& query) {
  SparseVector left_out;
  const Counterparts* counterparts = nullptr;
  if (left_out_ != nullptr) {
    left_out = left_out_->vector;
    counterparts = left_out_->counterparts;
  }

  std::size_t other = 0;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::uint32_t number = query.terms[i];
    const std::int64_t q = fixed_point(query.weights[i], kQueryUnit);

    // What the document that is left out has of the term, which may be nothing.
    while (other < left_out.terms.size() && left_out.terms[other] < number) ++other;
    const bool is_left_out = other < left_out.terms.size() && left_out.terms[other] == number;
    std::int64_t x = 0;
    if (is_left_out) x = fixed_point(left_out.weights[other], kSumUnit);

    std::span<const LabelTotal> apart;
    if (counterparts != nullptr) apart = counterparts->of(number);

    if (is_left_out || !apart.empty()) {
      add_without(sums_.term(number), q, x, apart);
    } else {
      add_whole(sums_.term(number), q);
    }
  }
}

/// Calls visit(compared, sums) for each compared label that has a term. Both lists ascend.
template <typename Visit>
void LabelComparison::for_each_label(const TermSums& term, Visit&& visit) {
  // If all labels are compared, each lies at its number.
  if (compared_.size() == sums_.documents_.size()) {
    for (std::size_t i = 0; i < term.labels.size(); ++i)
      visit(compared_[term.labels[i]], term.sums[i]);
    return;
  }

  auto from = term.labels.begin();
  for (Compared& own : compared_) {
    // In steps that double, since the next label that is compared is seldom far.
    auto end = from;
    for (std::ptrdiff_t step = 1; end != term.labels.end() && *end < own.label; step *= 2) {
      from = end + 1;
      end += std::min(step, term.labels.end() - end);
    }

    from = std::lower_bound(from, end, own.label);
    if (from == term.labels.end()) return;
    if (*from == own.label)
      visit(own, term.sums[static_cast<std::size_t>(from - term.labels.begin())]);
  }
}

void LabelComparison::add_whole(const TermSums& term, std::int64_t q) {
  absent_.push_back({term.absent, q, Wide{q} * term.absent});
  for_each_label(term, [&](Compared& own, const LabelSum& of_label) {
    own.dot += Wide{q} * of_label.sum;
    own.odds += Wide{q} * of_label.gain;
  });
}

/// `x`: what the document that is left out has of the term. `apart`: what counterparts have.
void LabelComparison::add_without(const TermSums& term, std::int64_t q, std::int64_t x,
                                  std::span<const LabelTotal> apart) {
  shared_ += Wide{q} * x;
  const std::int64_t none = fixed_log_odds(0, term.total - x);
  absent_.push_back({none, q, Wide{q} * none});

  for_each_label(term, [&](Compared& own, const LabelSum& of_label) {
    const std::int64_t sum = of_label.sum;
    const std::int64_t rest = term.total - sum;

    // The document itself is in the sums of its own labels, and in the rest of the others.
    std::int64_t y = 0;
    std::int64_t odds = 0;
    if (own.is_own) {
      odds = fixed_log_odds(sum - x, rest);
    } else {
      const auto counterpart = std::ranges::lower_bound(apart, own.label, {}, &LabelTotal::label);
      if (counterpart != apart.end() && counterpart->label == own.label) y = counterpart->sum;
      odds = fixed_log_odds(sum - y, rest - x);
    }

    own.dot += Wide{q} * (sum - y);
    own.odds += Wide{q} * (odds - none);
  });
}

void LabelComparison::finish() {
  // Sums up to each term, by rising odds, so that absent_part() is found by one search.
  std::ranges::sort(absent_, {}, &Absent::odds);
  for (std::size_t i = 1; i < absent_.size(); ++i) {
    absent_[i].weight += absent_[i - 1].weight;
    absent_[i].product += absent_[i - 1].product;
  }

  cosines_.clear();
  profiles_.clear();
  for (const Compared& own : compared_) {
    const Wide odds = own.odds + absent_part(prior_of(own));
    const double length = length_of(own);
    Wide dot = own.dot;
    if (own.is_own) dot -= shared_;

    // Nothing speaks for a label without documents.
    cosines_.push_back(0);
    profiles_.push_back(-std::numeric_limits<double>::infinity());
    if (!(length > 0)) continue;
    const double cosine = static_cast<double>(dot) * kQueryUnit / length;
    cosines_.back() = std::min(cosine, 1.0);  // rounding may lead beyond 1
    profiles_.back() = static_cast<double>(odds) * kQueryUnit * kLogUnit;
  }
}

/// The length of the label's sum; 0 if it has no document but the one that is left out, or its
/// counterpart.
double LabelComparison::length_of(const Compared& own) const {
  if (!own.is_own && !own.lacks_counterpart) return sums_.whole().lengths[own.label];

  Wide square = sums_.square_[own.label];
  std::int64_t others = sums_.documents_[own.label] - 1;
  if (own.is_own) {
    square += gone_square_ - 2 * own.with_left_out;
    if (left_out_->vector.terms.empty()) ++others;  // the document is in no sum
  } else {
    square -= left_out_->counterparts->square_[own.label];
  }

  if (others <= 0 || square <= 0) return 0;
  return std::sqrt(static_cast<double>(square));
}

/// The log-odds of the label's mass.
std::int64_t LabelComparison::prior_of(const Compared& own) const {
  if (left_out_ == nullptr) return sums_.whole().priors[own.label];

  Wide gone = 0;
  Wide apart = 0;
  if (own.is_own) gone = gone_;
  if (own.lacks_counterpart) apart = left_out_->counterparts->mass_[own.label];
  return sums_.prior(sums_.mass_[own.label] - gone - apart,
                     sums_.mass_of_all_ - sums_.mass_[own.label] - (gone_ - gone));
}

/// The sum over all terms of q_t min(odds - prior, 0).
LabelComparison::Wide LabelComparison::absent_part(std::int64_t prior) const {
  const auto end = std::ranges::lower_bound(absent_, prior, {}, &Absent::odds);
  if (end == absent_.begin()) return 0;
  const Absent& last = *std::prev(end);
  return last.product - last.weight * prior;
}

}  // namespace kindred
