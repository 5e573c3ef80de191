#include "plugin/votes/weights/supervised_weights.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kWeightsAtOnce = 512;

double entropy_part(double p) { return p > 0 ? p * std::log(p) : 0; }

/// The mass of each label over all voters.
struct LabelMass {
  std::vector<double> of_label;  // n(l)
  double total = 0;
};

LabelMass measure_mass(const Voters& voters, std::uint32_t label_count) {
  LabelMass mass;
  mass.of_label.assign(label_count, 0);
  for (std::uint32_t row = 0; row < voters.labels.rows(); ++row) {
    if (!voters.votes(row)) continue;
    const auto labels = voters.labels.of(row);
    for (const std::uint32_t label : labels)
      mass.of_label[label] += 1.0 / static_cast<double>(labels.size());
  }
  for (const double n : mass.of_label) mass.total += n;
  return mass;
}

/// The mass of each label over the voters that hold one term. Reused from term to term.
class TermMass {
 public:
  explicit TermMass(std::uint32_t label_count) : of_label_(label_count) {}

  void measure(const Voters& voters, std::uint32_t term) {
    for (const std::uint32_t label : present_) of_label_[label] = 0;
    present_.clear();
    documents_ = 0;
    const CsrView& postings = voters.postings;
    for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i)
      add(voters, postings.column[i]);
    std::sort(present_.begin(), present_.end());
  }

  std::uint64_t documents() const { return documents_; }
  /// The labels of these voters, ascending. All other labels have mass 0.
  std::span<const std::uint32_t> present() const { return present_; }
  double of(std::uint32_t label) const { return of_label_[label]; }

 private:
  void add(const Voters& voters, std::uint32_t row) {
    if (!voters.votes(row)) return;
    const auto labels = voters.labels.of(row);
    ++documents_;
    for (const std::uint32_t label : labels) {
      if (of_label_[label] == 0) present_.push_back(label);
      of_label_[label] += 1.0 / static_cast<double>(labels.size());
    }
  }

  std::vector<double> of_label_;
  std::vector<std::uint32_t> present_;
  std::uint64_t documents_ = 0;
};

/// A label that none of these voters has gets q = p / (c + 1), so the sum over such labels has a
/// closed form.
double divergence(const LabelMass& mass, const TermMass& term) {
  if (term.documents() < 2) return 0;
  const double held = static_cast<double>(term.documents());
  double sum = 0, rest = 1;
  for (const std::uint32_t label : term.present()) {
    const double p = mass.of_label[label] / mass.total;
    const double q = (term.of(label) + p) / (held + 1);
    sum += q * std::log(q / p);
    rest -= p;
  }
  sum -= std::max(rest, 0.0) / (held + 1) * std::log(held + 1);
  return std::sqrt(std::max(sum, 0.0));
}

double information_gain(const LabelMass& mass, const TermMass& term) {
  const double n = mass.total, with = static_cast<double>(term.documents()), without = n - with;
  double gain = 0;
  for (std::uint32_t label = 0; label < mass.of_label.size(); ++label) {
    const double held = term.of(label), other = std::max(mass.of_label[label] - held, 0.0);
    gain -= entropy_part(mass.of_label[label] / n);
    if (with > 0) gain += with / n * entropy_part(held / with);
    if (without > 0) gain += without / n * entropy_part(other / without);
  }
  return std::max(gain, 0.0);
}

double score_of(TermScore score, const LabelMass& mass, const TermMass& term) {
  if (term.documents() == 0) return 0;
  return score == TermScore::kDivergence ? divergence(mass, term) : information_gain(mass, term);
}

}  // namespace

std::vector<double> score_terms(TermScore score, const Voters& voters, std::uint32_t label_count,
                                std::size_t threads) {
  const LabelMass mass = measure_mass(voters, label_count);
  const std::uint32_t terms = voters.postings.rows;
  std::vector<double> scores(terms, 0);
  for_each_chunk(terms, kWeightsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
    TermMass term_mass(label_count);
    for (std::uint32_t t = begin; t < end; ++t) {
      term_mass.measure(voters, t);
      scores[t] = score_of(score, mass, term_mass);
    }
  });
  return scores;
}

void keep_best_terms(const std::vector<double>& scores, double share,
                     std::vector<double>& weights) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t term = 0; term < scores.size(); ++term) {
    if (scores[term] > 0) order.push_back(term);
    if (!(scores[term] > 0)) weights[term] = 0;
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  const auto kept = static_cast<std::size_t>(std::ceil(share * static_cast<double>(order.size())));
  for (std::size_t i = std::min(kept, order.size()); i < order.size(); ++i) weights[order[i]] = 0;
}

}  // namespace kindred
