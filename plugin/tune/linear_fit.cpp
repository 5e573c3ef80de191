#include "plugin/tune/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "gpu/pool.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kTolerance = 0.1;
constexpr int kPasses = 8;

/// Learns one label after the other, each in the terms of its documents only. Documents that hold
/// none of these are alike: they count as one, which weighs as much as all of them.
class LabelFit {
 public:
  /// Borrows the examples, whose terms are numbered below `terms`.
  LabelFit(const LinearExamples& examples, std::uint32_t terms)
      : examples_(examples.vectors.view()), number_(terms, kNone), begin_(examples_.rows + 1) {
    column_.resize(examples_.row_begin[examples_.rows]);
    value_.resize(column_.size());
    for (std::size_t d = 0; d < examples_.rows; ++d)
      if (examples_.row_begin[d] < examples_.row_begin[d + 1]) ++with_terms_;
  }

  void run(std::span<const std::uint32_t> members) {
    project(members);
    descend(members);
    for (const std::uint32_t term : terms_) number_[term] = kNone;
  }

  double offset() const { return offset_; }
  /// What was learned.
  std::span<const std::uint32_t> terms() const { return terms_; }
  std::span<const float> weights() const { return weights_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Example {
    std::uint64_t begin;  // of its terms
    std::uint64_t end;
    double sign;
    double ridge;
    double square;  // of the vector, the offset's 1 and the ridge: the curvature of a step
    double alpha;
  };

  /// Collects the terms of the members, and the parts of all documents in these.
  void project(std::span<const std::uint32_t> members) {
    // Until their order is known, the terms of the members have the number 0.
    terms_.clear();
    for (const std::uint32_t d : members) {
      for (std::uint64_t i = examples_.row_begin[d]; i < examples_.row_begin[d + std::size_t{1}];
           ++i) {
        std::uint32_t& number = number_[examples_.term[i]];
        if (number == kNone) terms_.push_back(examples_.term[i]);
        number = 0;
      }
    }

    std::sort(terms_.begin(), terms_.end());
    for (std::uint32_t n = 0; n < terms_.size(); ++n) number_[terms_[n]] = n;
    if (terms_.empty()) {
      std::ranges::fill(begin_, 0);
      return;
    }

    // An entry is written in any case, and stays if a member holds its term; else the next one
    // takes its place. So there is no branch that a processor would guess wrong.
    std::uint64_t place = 0;
    for (std::size_t d = 0; d < examples_.rows; ++d) {
      begin_[d] = place;
      for (std::uint64_t i = examples_.row_begin[d]; i < examples_.row_begin[d + 1]; ++i) {
        const std::uint32_t number = number_[examples_.term[i]];
        column_[place] = number;
        value_[place] = static_cast<float>(examples_.weight[i]);
        place += number != kNone ? 1 : 0;
      }
    }
    begin_.back() = place;
  }

  void gather(std::span<const std::uint32_t> members) {
    // Documents that hold terms of the members; those of the label ascend as all do.
    rows_.clear();
    std::size_t member = 0;
    for (std::uint32_t d = 0; d < examples_.rows; ++d) {
      const bool is_member = member < members.size() && members[member] == d;
      if (is_member) ++member;
      if (begin_[d] < begin_[d + std::size_t{1}])
        add_example(begin_[d], begin_[d + std::size_t{1}], is_member ? 1 : -1, 1);
    }

    // All others are one example.
    const std::size_t alike = with_terms_ - rows_.size();
    if (alike > 0) add_example(0, 0, -1, alike);
  }

  void add_example(std::uint64_t begin, std::uint64_t end, double sign, std::size_t times) {
    const double ridge = 1 / (2 * static_cast<double>(times));
    double square = 1 + ridge;
    for (std::uint64_t i = begin; i < end; ++i) square += value_[i] * value_[i];
    rows_.push_back({begin, end, sign, ridge, square, 0});
  }

  void descend(std::span<const std::uint32_t> members) {
    gather(members);
    weights_.assign(terms_.size(), 0.0F);
    offset_ = 0;

    double bound = kInfinity;
    for (int step = 0; step < kPasses; ++step) {
      if (bound == kInfinity) {  // all are active, again
        active_.resize(rows_.size());
        std::iota(active_.begin(), active_.end(), 0U);
      }

      bound = pass(bound);
      if (bound > kTolerance) continue;

      // What holds for the active ones must hold for all.
      if (active_.size() == rows_.size()) return;
      bound = kInfinity;
    }
  }

  /// One step for each active example. Those that seem settled, since they have no part in the
  /// solution and a gradient above `bound`, become inactive. Returns the range of the projected
  /// gradients.
  double pass(double bound) {
    double most = -kInfinity;
    double least = kInfinity;
    std::size_t kept = 0;
    for (const std::uint32_t i : active_) {
      Example& example = rows_[i];
      const double gradient = example.sign * value_of(example) - 1 + example.alpha * example.ridge;
      if (example.alpha == 0 && gradient > bound) continue;
      active_[kept] = i;
      ++kept;

      // alpha cannot fall below 0.
      double projected = gradient;
      if (example.alpha == 0) projected = std::min(gradient, 0.0);
      most = std::max(most, projected);
      least = std::min(least, projected);
      if (std::abs(projected) > 1e-12) step(example, gradient);
    }
    active_.resize(kept);
    return kept == 0 ? 0 : most - least;
  }

  double value_of(const Example& example) const {
    // Two sums, so that additions need not wait for each other.
    float even = 0;
    float odd = 0;

    std::uint64_t i = example.begin;
    for (; i + 1 < example.end; i += 2) {
      even += weights_[column_[i]] * value_[i];
      odd += weights_[column_[i + 1]] * value_[i + 1];
    }
    if (i < example.end) even += weights_[column_[i]] * value_[i];
    return offset_ + even + odd;
  }

  void step(Example& example, double gradient) {
    const double alpha = std::max(example.alpha - gradient / example.square, 0.0);
    const double by = (alpha - example.alpha) * example.sign;

    example.alpha = alpha;
    offset_ += by;
    for (std::uint64_t i = example.begin; i < example.end; ++i)
      weights_[column_[i]] += static_cast<float>(by * value_[i]);
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  const QueryView examples_;
  std::size_t with_terms_ = 0;         // documents that have a term
  std::vector<std::uint32_t> number_;  // kNone for terms that no member holds
  std::vector<std::uint32_t> terms_;   // of the members
  std::vector<std::uint64_t> begin_;   // of a document in column_ and value_
  std::vector<std::uint32_t> column_;  // numbers in terms_
  std::vector<float> value_;
  std::vector<float> weights_;
  std::vector<Example> rows_;
  std::vector<std::uint32_t> active_;
  double offset_ = 0;
};

std::int32_t rounded(double weight) {
  constexpr double kMost = LinearClassifiers::kMostWeight;
  return static_cast<std::int32_t>(
      std::lrint(std::clamp(weight / LinearClassifiers::kUnit, -kMost, kMost)));
}

}  // namespace

LinearClassifiers fit_linear(const LinearExamples& examples, std::uint32_t terms,
                             std::size_t threads, const Pulse& pulse,
                             const std::function<void()>& on_label) {
  const auto label_count = static_cast<std::uint32_t>(examples.of_label.size());
  LinearClassifiers parts;
  parts.offset.resize(label_count);

  // Label by label: its terms with their weights, which are whole numbers where they are stored.
  std::vector<std::vector<std::pair<std::uint32_t, std::int32_t>>> of_label(label_count);
  Pool<LabelFit> fits([&] {
    return std::make_unique<LabelFit>(examples, terms);
  });
  for_each_item(label_count, threads, [&](std::size_t label) {
    const Pool<LabelFit>::Lease fit = fits.lease();
    pulse();
    fit->run(examples.of_label[label]);

    parts.offset[label] = rounded(fit->offset());
    for (std::size_t i = 0; i < fit->terms().size(); ++i) {
      const std::int32_t weight = rounded(fit->weights()[i]);
      if (weight != 0) of_label[label].emplace_back(fit->terms()[i], weight);
    }
    if (on_label) on_label();
  });

  // Term by term: how many labels there are of each, and from that where its entries begin. There
  // is one more number in front, so that each begin can move on to its end as entries are filled
  // in.
  parts.begin.assign(terms + std::size_t{2}, 0);
  for (const auto& learned : of_label)
    for (const auto& [term, weight] : learned) ++parts.begin[term + std::size_t{2}];
  std::partial_sum(parts.begin.begin(), parts.begin.end(), parts.begin.begin());

  parts.entries.resize(parts.begin.back());
  for (std::uint32_t label = 0; label < label_count; ++label) {
    for (const auto& [term, weight] : of_label[label]) {
      std::uint64_t& next = parts.begin[term + std::size_t{1}];
      parts.entries[next] = {label, weight};
      ++next;
    }
  }
  parts.begin.pop_back();
  return parts;
}

}  // namespace kindred
