#include "plugin/tune/correction_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "gpu/row_set.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kSharpness = 5;    // s^5, spelled out in fifth()
constexpr double kFloor = 0.02;     // e
constexpr std::size_t kParts = 16;  // parts of the documents; each has a gradient of its own
constexpr std::uint32_t kRowsAtOnce = 1024;

/// Entries [begin, end) of a matrix.
struct EntryRange {
  std::uint64_t begin = 0, end = 0;
};

struct TwoSums {
  double first = 0, second = 0;
};

/// The sums of value(entry) over two ranges, each added in the order of its entries. They are added
/// side by side, because an addition takes as long as several multiplications and look-ups, which
/// need not wait for it.
template <typename Value>
TwoSums two_sums(EntryRange first, EntryRange second, Value&& value) {
  TwoSums sums;
  const std::uint64_t both = std::min(first.end - first.begin, second.end - second.begin);
  for (std::uint64_t i = 0; i < both; ++i) {
    sums.first += value(first.begin + i);
    sums.second += value(second.begin + i);
  }
  for (std::uint64_t i = first.begin + both; i < first.end; ++i) sums.first += value(i);
  for (std::uint64_t i = second.begin + both; i < second.end; ++i) sums.second += value(i);
  return sums;
}

double fifth(double s) { return s > 0 ? s * s * s * s * s : 0; }

/// The documents that are compared.
RowSet compared_rows(const CorrectionExamples& set) {
  RowSet rows(set.counts.rows);
  for (const std::uint32_t row : set.documents) rows.set(row);
  for (const Neighbor& neighbor : set.neighbors)
    if (neighbor.row != Neighbor::kNoRow) rows.set(neighbor.row);
  return rows;
}

/// Writes the unit vectors of the documents that are compared, entry by entry of the counts.
void write_unit_vectors(const CorrectionExamples& set, const RowSet& compared,
                        std::span<const double> weights, std::size_t threads,
                        std::span<double> units) {
  const CsrView& counts = set.counts;
  const auto fill_rows = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t row = first; row < last; ++row) {
      if (!compared.has(row)) continue;
      const std::uint64_t begin = counts.row_begin[row], end = counts.row_begin[row + 1];
      for (std::uint64_t i = begin; i < end; ++i)
        units[i] = set.base->tf[counts.count[i]] * weights[counts.column[i]];
      const double length =
          euclidean_length(end - begin, [&](std::size_t i) { return units[begin + i]; });
      if (!(length > 0)) continue;
      for (std::uint64_t i = begin; i < end; ++i) units[i] /= length;
    }
  };
  for_each_chunk(counts.rows, kRowsAtOnce, threads, fill_rows);
}

/// Adds up the loss and the gradient of some documents. Reuses its memory from one to the next.
class LossGradient {
 public:
  LossGradient(const CorrectionExamples& set, std::span<const double> units, bool wants_loss)
      : set_(set),
        units_(units),
        wants_loss_(wants_loss),
        query_(set.counts.columns, 0),
        gradient_(set.counts.columns, 0),
        similarity_(set.k),
        power_(set.k) {}

  void add(std::size_t document) {
    const std::uint32_t row = set_.documents[document];
    scatter(row, true);
    measure(set_.neighbors.subspan(document * set_.k, set_.k));
    if (total_ > 0) {
      add_loss(set_.labels.of(row));
      add_gradient(row, set_.neighbors.subspan(document * set_.k, set_.k));
    }
    scatter(row, false);
  }

  double loss() const { return loss_; }
  std::vector<double> take_gradient() { return std::move(gradient_); }

 private:
  template <typename Visit>
  void each_entry(std::uint32_t row, Visit&& visit) const {
    for (std::uint64_t i = set_.counts.row_begin[row]; i < set_.counts.row_begin[row + 1]; ++i)
      visit(set_.counts.column[i], units_[i]);
  }

  void scatter(std::uint32_t row, bool set) {
    each_entry(row, [&](std::uint32_t term, double unit) { query_[term] = set ? unit : 0; });
  }

  EntryRange entries_of(const Neighbor& neighbor) const {
    if (neighbor.row == Neighbor::kNoRow) return {};
    return {set_.counts.row_begin[neighbor.row], set_.counts.row_begin[neighbor.row + 1]};
  }

  void compare(std::span<const Neighbor> neighbors) {
    const auto product = [&](std::uint64_t i) { return query_[set_.counts.column[i]] * units_[i]; };
    for (std::size_t j = 0; j < set_.k; j += 2) {
      const bool is_last = j + 1 == set_.k;
      const TwoSums dots = two_sums(entries_of(neighbors[j]),
                                    is_last ? EntryRange() : entries_of(neighbors[j + 1]), product);
      similarity_[j] = dots.first;
      if (!is_last) similarity_[j + 1] = dots.second;
    }
  }

  /// Computes the similarities, their powers, and the sum of these powers for each label.
  void measure(std::span<const Neighbor> neighbors) {
    compare(neighbors);
    for (const Share& known : labels_) place_[known.label] = kNoPlace;
    labels_.clear();
    total_ = 0;
    for (std::size_t j = 0; j < set_.k; ++j) {
      power_[j] = 0;
      if (neighbors[j].row == Neighbor::kNoRow) continue;
      power_[j] = fifth(similarity_[j]);
      total_ += power_[j];
      for (const std::uint32_t label : set_.labels.of(neighbors[j].row))
        share(label).share += power_[j];
    }
  }

  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFFu;

  /// A label's P, and the derivative of the loss with respect to it.
  struct Share {
    std::uint32_t label;
    double share;
    double derivative;
  };

  Share& share(std::uint32_t label) {
    if (label >= place_.size()) place_.resize(label + std::size_t{1}, kNoPlace);
    if (place_[label] == kNoPlace) {
      place_[label] = static_cast<std::uint32_t>(labels_.size());
      labels_.push_back({label, 0, 0});
    }
    return labels_[place_[label]];
  }

  void add_loss(std::span<const std::uint32_t> own) {
    for (const std::uint32_t label : own) share(label);  // also those without a share
    mean_ = 0;
    for (Share& label : labels_) {
      label.share /= total_;
      const bool is_own = std::binary_search(own.begin(), own.end(), label.label);
      const double p = (is_own ? label.share : 1 - label.share) + kFloor;
      if (wants_loss_) loss_ -= std::log(p / (1 + kFloor));
      label.derivative = (is_own ? -1 : 1) / p;
      mean_ += label.derivative * label.share;
    }
  }

  void add_gradient(std::uint32_t row, std::span<const Neighbor> neighbors) {
    double pulled = 0;
    for (std::size_t j = 0; j < set_.k; ++j) {
      if (!(power_[j] > 0)) continue;
      double g = -mean_;
      for (const std::uint32_t label : set_.labels.of(neighbors[j].row))
        g += share(label).derivative;
      const double s = similarity_[j];
      g *= kSharpness * power_[j] / s / total_;
      pulled += g * s;
      each_entry(neighbors[j].row, [&](std::uint32_t term, double unit) {
        gradient_[term] += g * unit * (2 * query_[term] - s * unit);
      });
    }
    each_entry(row, [&](auto term, double unit) { gradient_[term] -= pulled * unit * unit; });
  }

  const CorrectionExamples& set_;
  const std::span<const double> units_;
  const bool wants_loss_;
  std::vector<double> query_, gradient_, similarity_, power_;
  std::vector<Share> labels_;         ///< of one document's neighbors, and its own
  std::vector<std::uint32_t> place_;  ///< of a label in `labels_`
  double total_ = 0, mean_ = 0, loss_ = 0;
};

/// The loss without the penalty, for one theta after the other.
class Unpenalized {
 public:
  Unpenalized(const CorrectionExamples& set, std::size_t threads)
      : set_(set),
        threads_(threads),
        compared_(compared_rows(set)),
        units_(set.counts.nonzeros()) {}

  /// Sets `gradient` to its derivatives. Returns the loss if it is wanted: its logarithms cost as
  /// much as a third of the rest.
  double derive(std::span<const double> theta, bool wants_loss, std::span<double> gradient) {
    std::vector<double> weights(set_.base->idf);
    for (std::size_t t = 0; t < weights.size(); ++t) weights[t] *= std::exp(theta[t]);
    write_unit_vectors(set_, compared_, weights, threads_, units_);
    std::vector<std::vector<double>> gradients(kParts);
    std::vector<double> losses(kParts, 0);
    for_each_item(kParts, threads_, [&](std::size_t part) {
      LossGradient sums(set_, units_, wants_loss);
      const std::size_t size = set_.documents.size();
      for (std::size_t d = part * size / kParts; d < (part + 1) * size / kParts; ++d) sums.add(d);
      losses[part] = sums.loss();
      gradients[part] = sums.take_gradient();
    });
    std::fill(gradient.begin(), gradient.end(), 0);
    for (const std::vector<double>& part : gradients) {
      for (std::size_t t = 0; t < gradient.size(); ++t) gradient[t] += part[t];
    }
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

 private:
  const CorrectionExamples& set_;
  const std::size_t threads_;
  const RowSet compared_;
  std::vector<double> units_;  // of entries; those of other documents are not used
};

void add_penalty(std::span<const double> theta, double lambda, std::span<double> gradient) {
  for (std::size_t t = 0; t < theta.size(); ++t) gradient[t] += 2 * lambda * theta[t];
}

}  // namespace

double correction_loss(const CorrectionExamples& set, std::span<const double> theta, double lambda,
                       std::size_t threads, std::span<double> gradient) {
  double loss = Unpenalized(set, threads).derive(theta, true, gradient);
  add_penalty(theta, lambda, gradient);
  for (const double t : theta) loss += lambda * t * t;
  return loss;
}

std::vector<double> fit_corrections(const CorrectionExamples& set, double lambda, int steps,
                                    std::size_t threads) {
  constexpr double kRate = 0.1, kDecay = 0.9, kSquareDecay = 0.99, kEpsilon = 0.01;
  const std::size_t terms = set.counts.columns;
  std::vector<double> theta(terms, 0), gradient(terms), mean(terms, 0), square(terms, 0);
  Unpenalized unpenalized(set, threads);
  for (int step = 1; step <= steps; ++step) {
    unpenalized.derive(theta, false, gradient);
    add_penalty(theta, lambda, gradient);
    const double mean_scale = 1 - std::pow(kDecay, step);
    const double square_scale = 1 - std::pow(kSquareDecay, step);
    for (std::size_t t = 0; t < terms; ++t) {
      mean[t] = kDecay * mean[t] + (1 - kDecay) * gradient[t];
      square[t] = kSquareDecay * square[t] + (1 - kSquareDecay) * gradient[t] * gradient[t];
      theta[t] -= kRate * (mean[t] / mean_scale) / (std::sqrt(square[t] / square_scale) + kEpsilon);
    }
  }
  return theta;
}

}  // namespace kindred
