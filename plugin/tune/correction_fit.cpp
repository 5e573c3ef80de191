#include "plugin/tune/correction_fit.h"

#include <algorithm>
#include <bit>
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
constexpr std::size_t kTermsAtOnce = 4096;

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

/// What documents share with their neighbors, which stays as weights change: where the neighbors
/// are, and of each pair a bit for each entry of the document and of the neighbor, set if the other
/// holds the term, too. Numbers of entries would be quicker to read, but long documents share
/// hundreds of terms with each neighbor.
class SharedTerms {
 public:
  SharedTerms(const CorrectionExamples& set, std::size_t threads) : k_(set.k) {
    const SegmentList& mirror = set.mirror;
    const std::size_t documents = set.documents.size();

    // Where the bits of each pair lie.
    place_.reserve(documents * k_);
    begin_.reserve(documents * k_ + 1);
    for (std::size_t d = 0; d < documents; ++d) {
      const std::size_t own = mirror.terms_of(set.documents[d]).size();
      for (const Neighbor& neighbor : set.neighbors.subspan(d * k_, k_)) {
        place_.push_back(kNoPlace);
        begin_.push_back(begin_.back());
        if (neighbor.number == kNoDocument) continue;

        place_.back() = mirror.place_of_neighbor(neighbor.number);
        begin_.back() += words(own) + words(mirror[place_.back()].size());
      }
    }

    // A document is spread out over all terms, where entries of its neighbors are looked up.
    bits_.resize(begin_.back());
    for_each_chunk(documents, kDocumentsAtOnce, threads, [&](std::size_t first, std::size_t end) {
      std::vector<std::uint32_t> entry_of(mirror.columns(), kNone);
      for (std::size_t d = first; d < end; ++d) {
        const auto own = mirror.terms_of(set.documents[d]).columns;
        for (std::uint32_t i = 0; i < own.size(); ++i) entry_of[own[i]] = i;
        for (std::size_t pair = d * k_; pair < (d + 1) * k_; ++pair)
          if (place_[pair] != kNoPlace)
            mark(pair, own.size(), entry_of, mirror[place_[pair]].columns);
        for (const std::uint32_t term : own) entry_of[term] = kNone;
      }
    });
  }

  /// Of the neighbors of a document, [k]; kNoPlace where there is none.
  std::span<const std::uint32_t> places_of(std::size_t document) const {
    return std::span(place_).subspan(document * k_, k_);
  }

  /// Calls visit(i, j) for each term that a document and its neighbor both hold: it is entry i of
  /// the document, which has `size` of them, and entry j of the neighbor.
  template <typename Visit>
  void for_each(std::size_t document, std::size_t neighbor, std::size_t size, Visit&& visit) const {
    const std::uint64_t* const own = bits_.data() + begin_[document * k_ + neighbor];
    const std::uint64_t* others = own + words(size);
    std::size_t first = 0;  // entry of the neighbor in this word
    std::uint64_t other = 0;

    for (std::size_t w = 0; w < words(size); ++w) {
      for (std::uint64_t left = own[w]; left != 0; left &= left - 1) {
        while (other == 0) {
          other = *others;
          ++others;
          first += kBits;
        }
        visit(w * kBits + static_cast<std::size_t>(std::countr_zero(left)),
              first - kBits + static_cast<std::size_t>(std::countr_zero(other)));
        other &= other - 1;
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kDocumentsAtOnce = 256;

  static std::size_t words(std::size_t entries) { return (entries + kBits - 1) / kBits; }

  /// @param entry_of each term of the document: its entry, of `size`; of others kNone
  void mark(std::size_t pair, std::size_t size, std::span<const std::uint32_t> entry_of,
            std::span<const std::uint32_t> other) {
    std::uint64_t* const own_bits = bits_.data() + begin_[pair];
    std::uint64_t* const other_bits = own_bits + words(size);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::uint32_t i = entry_of[other[j]];
      if (i == kNone) continue;
      own_bits[i / kBits] |= std::uint64_t{1} << (i % kBits);
      other_bits[j / kBits] |= std::uint64_t{1} << (j % kBits);
    }
  }

  std::size_t k_;
  std::vector<std::uint32_t> place_;     // of each pair
  std::vector<std::uint64_t> begin_{0};  // of its words
  std::vector<std::uint64_t> bits_;
};

/// Adds up the gradient of some documents. Reuses its memory from one to the next.
///
/// Unit vectors u and v have the similarity s. Its derivative by the correction of a term is
/// 2 u v - s (u^2 + v^2) there. What goes with the squares is added up for each document and left
/// to the caller, so a pair takes only the terms that both hold.
class Gradient {
 public:
  Gradient(const CorrectionExamples& set, const SharedTerms& shared, const UnitVectors& units)
      : set_(set),
        shared_(shared),
        units_(units),
        gradient_(set.mirror.columns(), 0),
        of_squares_(set.mirror.places(), 0),
        similarity_(set.k),
        power_(set.k) {}

  void add(std::size_t document) {
    document_ = document;
    places_ = shared_.places_of(document);
    const std::uint32_t place = set_.mirror.place_of(set_.documents[document]);
    entries_ = set_.mirror[place];
    unit_ = unit_of(place);

    // Its labels are met, too, if they have no share.
    const auto own = set_.mirror.labels_at(place);
    for (const std::uint32_t label : own) meet(label);

    const double total = compare();
    if (total > 0) of_squares_[place] += pull(total, derive(own, total));

    // The next document finds all as this one did.
    for (const std::uint32_t label : met_) of_label_[label] = {};
    met_.clear();
  }

  std::vector<double> take_gradient() { return std::move(gradient_); }
  /// Of each place: what its squares are taken times.
  std::vector<double> take_of_squares() { return std::move(of_squares_); }

 private:
  /// A label's P times the sum of all powers, and the derivative of the loss by P.
  struct OfLabel {
    double power = 0;
    double derivative = 0;
    bool is_met = false;
  };

  const double* unit_of(std::uint32_t place) const {
    return units_.value.data() + units_.begin[place];
  }

  OfLabel& meet(std::uint32_t label) {
    if (label >= of_label_.size()) of_label_.resize(label + std::size_t{1});

    OfLabel& met = of_label_[label];
    if (!met.is_met) met_.push_back(label);
    met.is_met = true;
    return met;
  }

  /// Computes similarities and their powers, those of each label, too. Returns the sum of powers.
  double compare() {
    double total = 0;
    for (std::size_t n = 0; n < set_.k; ++n) {
      power_[n] = 0;
      if (places_[n] == kNoPlace) continue;

      const double* const other = unit_of(places_[n]);
      double product = 0;
      shared_.for_each(document_, n, entries_.size(), [&](std::size_t i, std::size_t j) {
        product += unit_[i] * other[j];
      });

      similarity_[n] = product;
      power_[n] = fifth(product);
      total += power_[n];
      for (const std::uint32_t label : set_.mirror.labels_at(places_[n]))
        meet(label).power += power_[n];
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
    pull_.assign(entries_.size(), 0);
    for (std::size_t n = 0; n < set_.k; ++n) {
      if (!(power_[n] > 0)) continue;

      // The derivative of the loss by the similarity to this neighbor.
      double g = -mean;
      for (const std::uint32_t label : set_.mirror.labels_at(places_[n]))
        g += of_label_[label].derivative;
      const double s = similarity_[n];
      g *= kSharpness * power_[n] / s / total;

      // Its part by the squares of either vector.
      pulled += g * s;
      of_squares_[places_[n]] += g * s;

      // Its part by the terms that both hold.
      const double* const other = unit_of(places_[n]);
      shared_.for_each(document_, n, entries_.size(), [&](std::size_t i, std::size_t j) {
        pull_[i] += 2 * g * other[j];
      });
    }

    for (std::size_t i = 0; i < entries_.size(); ++i)
      gradient_[entries_.columns[i]] += pull_[i] * unit_[i];
    return pulled;
  }

  const CorrectionExamples& set_;
  const SharedTerms& shared_;
  const UnitVectors& units_;
  std::vector<double> gradient_;
  std::vector<double> of_squares_;  // of each place: what its squares are taken times

  // Of the document that was added last.
  std::size_t document_ = 0;
  std::span<const std::uint32_t> places_;  // of its neighbors
  RowEntries entries_;
  const double* unit_ = nullptr;
  std::vector<double> similarity_;  // to each neighbor
  std::vector<double> power_;       // of these
  std::vector<double> pull_;        // of each entry
  std::vector<OfLabel> of_label_;
  std::vector<std::uint32_t> met_;  // labels of its neighbors, and its own
};

std::vector<double> gradient_of(const CorrectionExamples& set, const SharedTerms& shared,
                                std::span<const double> theta, double lambda, std::size_t threads,
                                const Pulse& pulse) {
  const SegmentList& mirror = set.mirror;
  const UnitVectors units = unit_vectors(set, theta, threads);

  // Each part of the documents has a sum of its own, so that the order of additions is fixed.
  std::vector<std::vector<double>> parts(kParts);
  std::vector<std::vector<double>> of_squares(kParts);
  for_each_item(kParts, threads, [&](std::size_t part) {
    Gradient sum(set, shared, units);
    const std::size_t size = set.documents.size();
    for (std::size_t d = part * size / kParts; d < (part + 1) * size / kParts; ++d) {
      pulse();
      sum.add(d);
    }
    parts[part] = sum.take_gradient();
    of_squares[part] = sum.take_of_squares();
  });

  // The squares of all documents, in as many parts.
  const std::size_t places = mirror.places();
  for_each_item(kParts, threads, [&](std::size_t part) {
    const auto first = static_cast<std::uint32_t>(part * places / kParts);
    const auto end = static_cast<std::uint32_t>((part + 1) * places / kParts);
    mirror.for_each(first, end, [&](std::uint32_t place, const RowEntries& own) {
      double times = 0;
      for (const std::vector<double>& each : of_squares) times += each[place];
      if (times == 0) return;

      const double* const unit = units.value.data() + units.begin[place];
      for (std::size_t i = 0; i < own.size(); ++i)
        parts[part][own.columns[i]] -= times * unit[i] * unit[i];
    });
  });

  // The penalty's derivative, and those of all parts.
  std::vector<double> gradient(theta.size());
  for_each_chunk(gradient.size(), kTermsAtOnce, threads, [&](std::size_t first, std::size_t end) {
    for (std::size_t t = first; t < end; ++t) {
      gradient[t] = 2 * lambda * theta[t];
      for (const std::vector<double>& part : parts) gradient[t] += part[t];
    }
  });
  return gradient;
}

}  // namespace

std::vector<double> correction_gradient(const CorrectionExamples& set,
                                        std::span<const double> theta, double lambda,
                                        std::size_t threads, const Pulse& pulse) {
  return gradient_of(set, SharedTerms(set, threads), theta, lambda, threads, pulse);
}

std::vector<double> fit_corrections(const CorrectionExamples& set, double lambda, int steps,
                                    std::size_t threads, const Pulse& pulse,
                                    const std::function<void()>& on_step) {
  constexpr double kRate = 0.1;
  constexpr double kDecay = 0.9;
  constexpr double kSquareDecay = 0.99;
  constexpr double kEpsilon = 0.01;

  const std::size_t terms = set.mirror.columns();
  const SharedTerms shared(set, threads);
  std::vector<double> theta(terms, 0);
  std::vector<double> mean(terms, 0);    // of the gradients so far, the latest counting most
  std::vector<double> square(terms, 0);  // of their squares
  for (int step = 1; step <= steps; ++step) {
    const std::vector<double> gradient = gradient_of(set, shared, theta, lambda, threads, pulse);

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
