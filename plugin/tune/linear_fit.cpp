#include "plugin/tune/linear_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "gpu/pool.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kTolerance = 0.1;  // how far the gradients of a pass may be apart
constexpr double kSettled = 0.01;   // a lesser gradient is one of a settled example
constexpr double kCostOfOwn = 2;    // of an error, in a document of the label
constexpr double kCostOfOthers = 0.5;
constexpr int kRounds = 3;
constexpr int kPasses = 3;  // of a round, beside the first

/// A term of a document and its weight there, in half the memory of a query's.
struct Entry {
  std::uint32_t term;
  float weight;
};

/// What all labels are learned from, row by row.
struct Rows {
  explicit Rows(const QueryView& examples)
      : begin(examples.row_begin, examples.row_begin + examples.rows + 1) {
    entries.reserve(begin.back());
    for (std::uint64_t i = 0; i < begin.back(); ++i)
      entries.push_back({examples.term[i], static_cast<float>(examples.weight[i])});
  }

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Entry> operator[](std::size_t row) const {
    return std::span(entries).subspan(begin[row], begin[row + 1] - begin[row]);
  }

  std::vector<std::uint64_t> begin;
  std::vector<Entry> entries;
};

/// Learns one label after the other, each in the terms of its documents only. Documents that hold
/// none of these are alike: they count as one, which weighs as much as all of them.
class LabelFit {
 public:
  /// Borrows the rows, whose terms are numbered below `terms`.
  LabelFit(const Rows& rows, std::uint32_t terms)
      : all_(rows),
        number_(terms, kNone),
        begin_(rows.size() + 1),
        entries_(rows.entries.size() + kAtOnce * rows.size() + 1) {
    for (std::size_t d = 0; d < all_.size(); ++d)
      if (!all_[d].empty()) ++with_terms_;
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
  static constexpr std::size_t kAtOnce = 4;  // entries

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
      for (const Entry& entry : all_[d]) {
        std::uint32_t& number = number_[entry.term];
        if (number == kNone) terms_.push_back(entry.term);
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
    for (std::size_t d = 0; d < all_.size(); ++d) {
      begin_[d] = place;
      for (const Entry& entry : all_[d]) {
        const std::uint32_t number = number_[entry.term];
        entries_[place] = {number, entry.weight};
        place += number != kNone ? 1 : 0;
      }

      // Entries that weigh nothing fill up the last ones that are taken at once.
      for (; place % kAtOnce != 0; ++place) entries_[place] = {0, 0};
    }
    begin_.back() = place;
  }

  void gather(std::span<const std::uint32_t> members) {
    // Documents that hold terms of the members; those of the label ascend as all do.
    rows_.clear();
    std::size_t member = 0;
    for (std::uint32_t d = 0; d < all_.size(); ++d) {
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
    const double cost = (sign > 0 ? kCostOfOwn : kCostOfOthers) * static_cast<double>(times);
    const double ridge = 1 / (2 * cost);
    double square = 1 + ridge;
    for (std::uint64_t i = begin; i < end; ++i) square += entries_[i].weight * entries_[i].weight;
    rows_.push_back({begin, end, sign, ridge, square, 0});
  }

  void descend(std::span<const std::uint32_t> members) {
    gather(members);
    weights_.assign(terms_.size(), 0.0F);
    offset_ = 0;

    for (int round = 0; round < kRounds; ++round) {
      active_.resize(rows_.size());
      std::iota(active_.begin(), active_.end(), 0U);
      if (pass() <= kTolerance) return;

      // Most examples are settled soon; some few are not, and take little time.
      for (int i = 0; i < kPasses; ++i)
        if (pass() <= kTolerance) break;
    }
  }

  /// One step for each active example. Those whose gradient is small, where a step can follow it,
  /// become inactive. Returns the range of these projected gradients and 0.
  double pass() {
    double most = 0;
    double least = 0;
    std::size_t kept = 0;
    for (const std::uint32_t i : active_) {
      Example& example = rows_[i];
      const double gradient = example.sign * value_of(example) - 1 + example.alpha * example.ridge;

      // alpha cannot fall below 0.
      double projected = gradient;
      if (example.alpha == 0) projected = std::min(gradient, 0.0);
      most = std::max(most, projected);
      least = std::min(least, projected);
      if (std::abs(projected) > 1e-12) step(example, gradient);
      if (std::abs(projected) < kSettled) continue;
      active_[kept] = i;
      ++kept;
    }
    active_.resize(kept);
    return most - least;
  }

  double value_of(const Example& example) const {
    // Four sums, so that additions need not wait for each other.
    std::array<float, kAtOnce> sums{};
    for (std::uint64_t i = example.begin; i < example.end; i += kAtOnce)
      for (std::size_t s = 0; s < kAtOnce; ++s)
        sums[s] += weights_[entries_[i + s].term] * entries_[i + s].weight;
    return offset_ + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }

  void step(Example& example, double gradient) {
    const double alpha = std::max(example.alpha - gradient / example.square, 0.0);
    const double by = (alpha - example.alpha) * example.sign;

    example.alpha = alpha;
    offset_ += by;
    for (std::uint64_t i = example.begin; i < example.end; ++i)
      weights_[entries_[i].term] += static_cast<float>(by * entries_[i].weight);
  }

  const Rows& all_;
  std::size_t with_terms_ = 0;         // documents that have a term
  std::vector<std::uint32_t> number_;  // kNone for terms that no member holds
  std::vector<std::uint32_t> terms_;   // of the members
  std::vector<std::uint64_t> begin_;   // of a document's entries
  std::vector<Entry> entries_;         // of the members' terms, as terms_ numbers them
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
  const Rows rows(examples.vectors.view());
  Pool<LabelFit> fits([&] {
    return std::make_unique<LabelFit>(rows, terms);
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
