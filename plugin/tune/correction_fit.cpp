#include "plugin/tune/correction_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kSharpness = 5;    // s^5, spelled out in fifth()
constexpr double kFloor = 0.02;     // e
constexpr std::size_t kParts = 16;  // parts of the documents; each has a gradient of its own
constexpr std::uint32_t kPlacesAtOnce = 1024;

double fifth(double s) { return s > 0 ? s * s * s * s * s : 0; }

/// The unit vectors of all documents, entry by entry.
struct UnitVectors {
  std::vector<std::uint64_t> begin{0};  // of each place
  std::vector<double> value;
};

UnitVectors unit_vectors(const CorrectionExamples& set, std::span<const double> theta,
                         std::size_t threads) {
  const SegmentList& mirror = set.mirror;

  UnitVectors units;
  for (std::uint32_t place = 0; place < mirror.places(); ++place)
    units.begin.push_back(units.begin.back() + mirror[place].size());
  units.value.resize(units.begin.back());

  // What terms weigh as they are corrected now.
  std::vector<double> weights(set.base.idf);
  for (std::size_t t = 0; t < weights.size(); ++t) weights[t] *= std::exp(theta[t]);

  // Vectors are divided by their lengths; one of length 0 stays.
  const auto measure = [&](std::uint32_t place, const RowEntries& own) {
    double* const unit = units.value.data() + units.begin[place];
    for (std::size_t i = 0; i < own.size(); ++i)
      unit[i] = set.base.tf[own.counts[i]] * weights[own.columns[i]];

    const double length = euclidean_length(own.size(), [&](std::size_t i) {
      return unit[i];
    });
    if (!(length > 0)) return;
    for (std::size_t i = 0; i < own.size(); ++i) unit[i] /= length;
  };
  for_each_chunk(mirror.places(), kPlacesAtOnce, threads, [&](std::uint32_t first, auto last) {
    mirror.for_each(first, last, measure);
  });
  return units;
}

/// Adds up the gradient of some documents. Reuses its memory from one to the next.
///
/// Unit vectors u and v have the similarity s. Its derivative by the correction of a term is
/// 2 u v - s (u^2 + v^2) there. What goes with the squares is added up for each document first, so
/// a pair takes only the terms that both hold.
class Gradient {
 public:
  Gradient(const CorrectionExamples& set, const UnitVectors& units)
      : set_(set),
        units_(units),
        query_(set.mirror.columns(), 0),
        gradient_(set.mirror.columns(), 0),
        of_squares_(set.mirror.places(), 0),
        similarity_(set.k),
        power_(set.k),
        shared_end_(set.k),
        place_(set.k) {}

  void add(std::size_t document) {
    const std::uint32_t place = set_.mirror.place_of(set_.documents[document]);
    const auto own = set_.mirror.labels_at(place);
    const auto neighbors = set_.neighbors.subspan(document * set_.k, set_.k);

    // The document's vector, spread out over all terms, and its labels, also those without a share.
    each_entry(place, [&](std::uint32_t term, double unit) {
      query_[term] = unit;
    });
    for (const std::uint32_t label : own) meet(label);

    const double total = compare(neighbors);
    if (total > 0) of_squares_[place] += pull(total, derive(own, total));

    // The next document finds all as this one did.
    each_entry(place, [&](std::uint32_t term, double) {
      query_[term] = 0;
    });
    for (const std::uint32_t label : met_) of_label_[label] = {};
    met_.clear();
  }

  std::vector<double> take() {
    for (std::uint32_t place = 0; place < of_squares_.size(); ++place) {
      if (of_squares_[place] == 0) continue;
      each_entry(place, [&](std::uint32_t term, double unit) {
        gradient_[term] -= of_squares_[place] * unit * unit;
      });
    }
    return std::move(gradient_);
  }

 private:
  /// A label's P times the sum of all powers, and the derivative of the loss by P.
  struct OfLabel {
    double power = 0;
    double derivative = 0;
    bool is_met = false;
  };

  template <typename Visit>
  void each_entry(std::uint32_t place, Visit&& visit) const {
    const RowEntries own = set_.mirror[place];
    const double* const unit = units_.value.data() + units_.begin[place];
    for (std::size_t i = 0; i < own.size(); ++i) visit(own.columns[i], unit[i]);
  }

  OfLabel& meet(std::uint32_t label) {
    if (label >= of_label_.size()) of_label_.resize(label + std::size_t{1});

    OfLabel& met = of_label_[label];
    if (!met.is_met) met_.push_back(label);
    met.is_met = true;
    return met;
  }

  /// The similarity to a neighbor. Keeps which of its entries the document holds, too.
  double product_with(std::uint32_t place) {
    const std::span<const std::uint32_t> columns = set_.mirror[place].columns;
    const double* const unit = units_.value.data() + units_.begin[place];
    if (shared_.size() < kept_ + columns.size()) shared_.resize(2 * (kept_ + columns.size()));

    // Two sums, so that additions need not wait for each other.
    double even = 0;
    double odd = 0;
    const auto take = [&](std::uint32_t i, double& sum) {
      const double own = query_[columns[i]];
      sum += own * unit[i];
      shared_[kept_] = i;  // the next one takes the place, unless both hold the term
      kept_ += own != 0 ? 1 : 0;
    };
    std::uint32_t i = 0;
    for (; i + 1 < columns.size(); i += 2) {
      take(i, even);
      take(i + 1, odd);
    }
    if (i < columns.size()) take(i, even);
    return even + odd;
  }

  /// Computes similarities and their powers, those of each label, too. Returns the sum of powers.
  double compare(std::span<const Neighbor> neighbors) {
    double total = 0;
    kept_ = 0;
    for (std::size_t j = 0; j < set_.k; ++j) {
      power_[j] = 0;
      shared_end_[j] = kept_;
      if (neighbors[j].number == kNoDocument) continue;

      place_[j] = set_.mirror.place_of_neighbor(neighbors[j].number);
      similarity_[j] = product_with(place_[j]);
      shared_end_[j] = kept_;
      power_[j] = fifth(similarity_[j]);
      total += power_[j];
      for (const std::uint32_t label : set_.mirror.labels_at(place_[j]))
        meet(label).power += power_[j];
    }
    return total;
  }

  /// Sets the derivatives of the loss by each P. Returns the sum of derivative times P.
  double derive(std::span<const std::uint32_t> own, double total) {
    double sum = 0;
    for (const std::uint32_t label : met_) {
      const double share = of_label_[label].power / total;
      double derivative = 1 / (1 - share + kFloor);
      if (std::ranges::binary_search(own, label)) derivative = -1 / (share + kFloor);
      of_label_[label].derivative = derivative;
      sum += derivative * share;
    }
    return sum;
  }

  /// Returns what the squares of the document itself are taken times.
  double pull(double total, double mean) {
    double pulled = 0;
    for (std::size_t j = 0; j < set_.k; ++j) {
      if (!(power_[j] > 0)) continue;

      // The derivative of the loss by the similarity to this neighbor.
      double g = -mean;
      for (const std::uint32_t label : set_.mirror.labels_at(place_[j]))
        g += of_label_[label].derivative;
      const double s = similarity_[j];
      g *= kSharpness * power_[j] / s / total;

      // Its part by the squares of either vector.
      pulled += g * s;
      of_squares_[place_[j]] += g * s;

      // Its part by the terms that both hold.
      const std::span<const std::uint32_t> columns = set_.mirror[place_[j]].columns;
      const double* const unit = units_.value.data() + units_.begin[place_[j]];
      const std::size_t begin = j > 0 ? shared_end_[j - 1] : 0;
      for (std::size_t i = begin; i < shared_end_[j]; ++i) {
        const std::uint32_t term = columns[shared_[i]];
        gradient_[term] += 2 * g * unit[shared_[i]] * query_[term];
      }
    }
    return pulled;
  }

  const CorrectionExamples& set_;
  const UnitVectors& units_;
  std::vector<double> query_;  // the vector of one document; else 0
  std::vector<double> gradient_;
  std::vector<double> of_squares_;       // of each place: what its squares are taken times
  std::vector<double> similarity_;       // to each neighbor
  std::vector<double> power_;            // of these
  std::vector<std::uint32_t> shared_;    // entries of each neighbor, one after the other
  std::size_t kept_ = 0;                 // of these
  std::vector<std::size_t> shared_end_;  // of each neighbor
  std::vector<std::uint32_t> place_;     // of each neighbor
  std::vector<OfLabel> of_label_;
  std::vector<std::uint32_t> met_;  // labels of one document's neighbors, and its own
};

}  // namespace

std::vector<double> correction_gradient(const CorrectionExamples& set,
                                        std::span<const double> theta, double lambda,
                                        std::size_t threads, const Pulse& pulse) {
  const UnitVectors units = unit_vectors(set, theta, threads);

  // Each part of the documents has a sum of its own, so that the order of additions is fixed.
  std::vector<std::vector<double>> parts(kParts);
  for_each_item(kParts, threads, [&](std::size_t part) {
    Gradient sum(set, units);
    const std::size_t size = set.documents.size();
    for (std::size_t d = part * size / kParts; d < (part + 1) * size / kParts; ++d) {
      pulse();
      sum.add(d);
    }
    parts[part] = sum.take();
  });

  // The penalty's derivative, and those of all parts.
  std::vector<double> gradient(theta.size());
  for (std::size_t t = 0; t < gradient.size(); ++t) {
    gradient[t] = 2 * lambda * theta[t];
    for (const std::vector<double>& part : parts) gradient[t] += part[t];
  }
  return gradient;
}

std::vector<double> fit_corrections(const CorrectionExamples& set, double lambda, int steps,
                                    std::size_t threads, const Pulse& pulse,
                                    const std::function<void()>& on_step) {
  constexpr double kRate = 0.1;
  constexpr double kDecay = 0.9;
  constexpr double kSquareDecay = 0.99;
  constexpr double kEpsilon = 0.01;

  const std::size_t terms = set.mirror.columns();
  std::vector<double> theta(terms, 0);
  std::vector<double> mean(terms, 0);    // of the gradients so far, the latest counting most
  std::vector<double> square(terms, 0);  // of their squares
  for (int step = 1; step <= steps; ++step) {
    const std::vector<double> gradient = correction_gradient(set, theta, lambda, threads, pulse);

    // The means begin at 0, so the first ones are too small by these factors.
    const double mean_scale = 1 - std::pow(kDecay, step);
    const double square_scale = 1 - std::pow(kSquareDecay, step);

    for (std::size_t t = 0; t < terms; ++t) {
      mean[t] = kDecay * mean[t] + (1 - kDecay) * gradient[t];
      square[t] = kSquareDecay * square[t] + (1 - kSquareDecay) * gradient[t] * gradient[t];
      theta[t] -= kRate * (mean[t] / mean_scale) / (std::sqrt(square[t] / square_scale) + kEpsilon);
    }
    if (on_step) on_step();
  }
  return theta;
}

}  // namespace kindred
