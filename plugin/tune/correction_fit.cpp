#include "plugin/tune/correction_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kSharpness = 5;    // s^5, spelled out in fifth()
constexpr double kFloor = 0.02;     // e
constexpr std::size_t kParts = 16;  // parts of the documents; each has a gradient of its own
constexpr std::uint32_t kRowsAtOnce = 1024;

double fifth(double s) { return s > 0 ? s * s * s * s * s : 0; }

/// Every document's unit vector, entry by entry of the counts.
std::vector<double> unit_vectors(const CorrectionExamples& set, std::span<const double> weights,
                                 std::size_t threads) {
  const CsrView& counts = set.counts;
  std::vector<double> units(counts.nonzeros());
  const auto fill_rows = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t row = first; row < last; ++row) {
      const std::uint64_t begin = counts.row_begin[row], end = counts.row_begin[row + 1];
      for (std::uint64_t i = begin; i < end; ++i)
        units[i] = set.base->tf[counts.count[i]] * weights[counts.column[i]];
      const double length =
          euclidean_length(end - begin, [&](std::size_t i) { return units[begin + i]; });
      for (std::uint64_t i = begin; i < end && length > 0; ++i) units[i] /= length;
    }
  };
  for_each_chunk(counts.rows, kRowsAtOnce, threads, fill_rows);
  return units;
}

/// Adds up the loss and the gradient of some documents. Reuses its memory from one to the next.
class LossGradient {
 public:
  LossGradient(const CorrectionExamples& set, const std::vector<double>& units, bool wants_loss)
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
  const std::vector<double>& gradient() const { return gradient_; }

 private:
  template <typename Visit>
  void each_entry(std::uint32_t row, Visit&& visit) const {
    for (std::uint64_t i = set_.counts.row_begin[row]; i < set_.counts.row_begin[row + 1]; ++i)
      visit(set_.counts.column[i], units_[i]);
  }

  void scatter(std::uint32_t row, bool set) {
    each_entry(row, [&](std::uint32_t term, double unit) { query_[term] = set ? unit : 0; });
  }

  /// Computes the similarities, their powers, and the sum of these powers for each label.
  void measure(std::span<const Neighbor> neighbors) {
    for (const Share& known : labels_) place_[known.label] = kNoPlace;
    labels_.clear();
    total_ = 0;
    for (std::size_t j = 0; j < set_.k; ++j) {
      similarity_[j] = power_[j] = 0;
      if (neighbors[j].row == Neighbor::kNoRow) continue;
      double s = 0;
      each_entry(neighbors[j].row, [&](auto term, double unit) { s += query_[term] * unit; });
      similarity_[j] = s;
      power_[j] = fifth(s);
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
  const std::vector<double>& units_;
  const bool wants_loss_;
  std::vector<double> query_, gradient_, similarity_, power_;
  std::vector<Share> labels_;         ///< of one document's neighbors, and its own
  std::vector<std::uint32_t> place_;  ///< of a label in `labels_`
  double total_ = 0, mean_ = 0, loss_ = 0;
};

/// Sets `gradient` to the derivatives of the loss without the penalty. Returns that loss if it is
/// wanted: its logarithms cost as much as a third of the rest.
double unpenalized(const CorrectionExamples& set, std::span<const double> theta, bool wants_loss,
                   std::size_t threads, std::span<double> gradient) {
  std::vector<double> weights(set.base->idf);
  for (std::size_t t = 0; t < weights.size(); ++t) weights[t] *= std::exp(theta[t]);
  const std::vector<double> units = unit_vectors(set, weights, threads);
  std::vector<std::vector<double>> gradients(kParts);
  std::vector<double> losses(kParts, 0);
  for_each_item(kParts, threads, [&](std::size_t part) {
    LossGradient sums(set, units, wants_loss);
    const std::size_t size = set.documents.size();
    for (std::size_t d = part * size / kParts; d < (part + 1) * size / kParts; ++d) sums.add(d);
    losses[part] = sums.loss();
    gradients[part] = sums.gradient();
  });
  std::fill(gradient.begin(), gradient.end(), 0);
  for (const std::vector<double>& part : gradients) {
    for (std::size_t t = 0; t < gradient.size(); ++t) gradient[t] += part[t];
  }
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

void add_penalty(std::span<const double> theta, double lambda, std::span<double> gradient) {
  for (std::size_t t = 0; t < theta.size(); ++t) gradient[t] += 2 * lambda * theta[t];
}

}  // namespace

double correction_loss(const CorrectionExamples& set, std::span<const double> theta, double lambda,
                       std::size_t threads, std::span<double> gradient) {
  double loss = unpenalized(set, theta, true, threads, gradient);
  add_penalty(theta, lambda, gradient);
  for (const double t : theta) loss += lambda * t * t;
  return loss;
}

std::vector<double> fit_corrections(const CorrectionExamples& set, double lambda, int steps,
                                    std::size_t threads) {
  constexpr double kRate = 0.1, kDecay = 0.9, kSquareDecay = 0.99, kEpsilon = 0.01;
  const std::size_t terms = set.counts.columns;
  std::vector<double> theta(terms, 0), gradient(terms), mean(terms, 0), square(terms, 0);
  for (int step = 1; step <= steps; ++step) {
    unpenalized(set, theta, false, threads, gradient);
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
