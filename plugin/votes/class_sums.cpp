#include "plugin/votes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kPrior = 0.03;  // a; 0.01 and 0.1 hardly differ: docs/quality.md
constexpr std::uint32_t kTermsAtOnce = 512;
constexpr double kNothing = 1e-9;  // a squared length below this is rounding error

/// 1 / |d| of every voter, and 0 for other rows. Each |d| is summed in ascending order of terms.
std::vector<double> reciprocal_lengths(const Voters& voters, const TermWeighting& weighting) {
  std::vector<double> squares(voters.labels.rows, 0);
  const CsrView& postings = voters.postings;
  for (std::uint32_t term = 0; term < postings.rows; ++term) {
    const double weight = weighting.idf[term];
    if (weight == 0) continue;
    for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i) {
      const double w = weighting.tf[postings.count[i]] * weight;
      squares[postings.column[i]] += w * w;
    }
  }
  for (std::uint32_t row = 0; row < squares.size(); ++row) {
    squares[row] = voters.votes(row) && squares[row] > 0 ? 1 / std::sqrt(squares[row]) : 0;
  }
  return squares;
}

double log_odds(double inside, double outside) {
  return std::log((std::max(inside, 0.0) + kPrior) / (std::max(outside, 0.0) + kPrior));
}

}  // namespace

/// Adds up one term of the voters' unit vectors by label. Reused from term to term.
class ClassSums::TermSums {
 public:
  explicit TermSums(std::uint32_t label_count) : of_label_(label_count, 0) {}

  /// unit_of(i) is the weight of posting i in its document's unit vector.
  template <typename UnitOf>
  Term add_up(const Voters& voters, std::uint32_t term, UnitOf&& unit_of) {
    Term sums;
    std::vector<std::uint32_t> present;
    const CsrView& postings = voters.postings;
    for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i) {
      const double unit = unit_of(i);
      if (!(unit > 0)) continue;
      sums.total += unit;
      for (const std::uint32_t label : voters.labels.of(postings.column[i])) {
        if (of_label_[label] == 0) present.push_back(label);
        of_label_[label] += unit;
      }
    }
    std::sort(present.begin(), present.end());
    for (const std::uint32_t label : present)
      sums.entries.push_back({label, std::exchange(of_label_[label], 0), 0});
    return sums;
  }

 private:
  std::vector<double> of_label_;
};

ClassSums::ClassSums(const Voters& voters, const TermWeighting& weighting,
                     std::uint32_t label_count, std::size_t threads)
    : documents_(label_count), square_(label_count), mass_(label_count) {
  const std::vector<double> reciprocals = reciprocal_lengths(voters, weighting);
  const CsrView& postings = voters.postings;
  std::vector<Term> sums(postings.rows);
  const auto add_up_terms = [&](std::uint32_t begin, std::uint32_t end) {
    TermSums term_sums(label_count);
    for (std::uint32_t term = begin; term < end; ++term) {
      sums[term] = term_sums.add_up(voters, term, [&](std::uint64_t i) {
        return weighting.tf[postings.count[i]] * weighting.idf[term] *
               reciprocals[postings.column[i]];
      });
    }
  };
  for_each_chunk(postings.rows, kTermsAtOnce, threads, add_up_terms);
  for (const Term& term : sums) append(term);
  for (std::uint32_t row = 0; row < reciprocals.size(); ++row) {
    if (reciprocals[row] == 0) continue;
    for (const std::uint32_t label : voters.labels.of(row)) ++documents_[label];
  }
}

void ClassSums::append(const Term& term) {
  const double total = term.total;
  const double absent = log_odds(0, total);
  total_.push_back(total);
  absent_.push_back(absent);
  for (LabelSum entry : term.entries) {
    entry.gain = log_odds(entry.sum, total - entry.sum) - absent;
    entries_.push_back(entry);
    square_[entry.label] += entry.sum * entry.sum;
    mass_[entry.label] += entry.sum;
  }
  begin_.push_back(entries_.size());
  mass_of_all_ += total;
  if (total > 0) ++terms_;
}

std::size_t ClassSums::bytes() const {
  return entries_.capacity() * sizeof(LabelSum) +
         (begin_.capacity() + documents_.capacity()) * sizeof(std::uint64_t) +
         (total_.capacity() + absent_.capacity() + square_.capacity() + mass_.capacity()) *
             sizeof(double);
}

void ClassSums::compare(const SparseVector& query, const LeftOut* left_out,
                        std::span<double> cosines, std::span<double> profiles) const {
  std::fill(cosines.begin(), cosines.end(), 0.0);
  std::fill(profiles.begin(), profiles.end(), 0.0);
  if (left_out == nullptr) {
    compare_whole(query, cosines, profiles);
  } else {
    compare_without(query, *left_out, cosines, profiles);
  }
}

void ClassSums::compare_whole(const SparseVector& query, std::span<double> cosines,
                              std::span<double> profiles) const {
  double mass = 0, absent = 0;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::uint32_t term = query.terms[i];
    const double q = query.weights[i];
    mass += q;
    absent += q * absent_[term];
    for (std::uint64_t e = begin_[term]; e < begin_[term + 1]; ++e) {
      cosines[entries_[e].label] += q * entries_[e].sum;
      profiles[entries_[e].label] += q * entries_[e].gain;
    }
  }
  for (double& profile : profiles) profile += absent;
  finish(mass, nullptr, {}, 0, cosines, profiles);
}

void ClassSums::compare_without(const SparseVector& query, const LeftOut& left_out,
                                std::span<double> cosines, std::span<double> profiles) const {
  std::vector<double> with_left_out(documents_.size(), 0);  // S(l) times the document's vector
  for (std::size_t i = 0; i < left_out.vector.terms.size(); ++i) {
    const std::uint32_t term = left_out.vector.terms[i];
    for (std::uint64_t e = begin_[term]; e < begin_[term + 1]; ++e)
      with_left_out[entries_[e].label] += left_out.vector.weights[i] * entries_[e].sum;
  }
  std::vector<char> own(documents_.size(), 0);
  for (const std::uint32_t label : left_out.labels) own[label] = 1;
  double mass = 0, absent = 0, shared = 0;
  auto other = left_out.vector.terms.begin();
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::uint32_t term = query.terms[i];
    const double q = query.weights[i];
    other = std::lower_bound(other, left_out.vector.terms.end(), term);
    const double x = other != left_out.vector.terms.end() && *other == term
                         ? left_out.vector.weights[other - left_out.vector.terms.begin()]
                         : 0;
    shared += q * x;
    mass += q;
    const double none = x == 0 ? absent_[term] : log_odds(0, total_[term] - x);
    absent += q * none;
    for (std::uint64_t e = begin_[term]; e < begin_[term + 1]; ++e) {
      const auto& [label, sum, gain] = entries_[e];
      const double rest = total_[term] - sum;
      cosines[label] += q * sum;
      if (x == 0) {
        profiles[label] += q * gain;
      } else {
        profiles[label] +=
            q * ((own[label] != 0 ? log_odds(sum - x, rest) : log_odds(sum, rest - x)) - none);
      }
    }
  }
  for (double& profile : profiles) profile += absent;
  finish(mass, &left_out, with_left_out, shared, cosines, profiles);
}

void ClassSums::finish(double mass, const LeftOut* left_out, std::span<const double> with_left_out,
                       double shared, std::span<double> cosines, std::span<double> profiles) const {
  double gone = 0, gone_square = 0;
  if (left_out != nullptr) {
    for (const double x : left_out->vector.weights) {
      gone += x;
      gone_square += x * x;
    }
  }
  const double smoothing = kPrior * terms_ - kPrior;  // log_odds() adds one of them
  std::size_t next_own = 0;
  for (std::uint32_t label = 0; label < documents_.size(); ++label) {
    double square = square_[label], inside = mass_[label];
    double outside = mass_of_all_ - inside;
    std::uint64_t documents = documents_[label];
    if (left_out != nullptr && next_own < left_out->labels.size() &&
        left_out->labels[next_own] == label) {
      ++next_own;
      cosines[label] -= shared;
      square += gone_square - 2 * with_left_out[label];
      inside -= gone;
      --documents;
    } else {
      outside -= gone;
    }
    const bool empty = documents == 0 || square < kNothing;
    cosines[label] = empty ? 0 : std::max(cosines[label], 0.0) / std::sqrt(square);
    profiles[label] -=
        mass * log_odds(std::max(inside, 0.0) + smoothing, std::max(outside, 0.0) + smoothing);
  }
}

}  // namespace kindred
