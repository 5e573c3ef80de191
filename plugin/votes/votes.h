#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// The names in settings, the C ABI and the program.
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API VoteKind vote_kind(std::string_view name);
KINDRED_API std::string_view vote_name(VoteKind kind);

/// The neighbors that VoteKind::kBlend looks at.
inline constexpr std::size_t kBlendNeighbors = 45;

/// Sets shares[l], which must be 0, to the share that neighbors with label l have of the sum of all
/// neighbors' similarities to this power. Sums are in the order of the neighbors, which end at the
/// first kNoDocument.
/// `silent`: of each label, a document that does not vote for it, or kNoDocument; or nothing.
void count_shares(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
                  std::span<double> shares, std::span<const std::uint32_t> silent = {});

/// Raises best[l] to the largest similarity of a neighbor that has label l, if it is lower.
/// `silent`: as above.
void find_best(std::span<const Neighbor> neighbors, const SegmentList& mirror,
               std::span<double> best, std::span<const std::uint32_t> silent = {});

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power, power >= 0.
double raised(double similarity, int power);

/// The features of a document and a label, under one weighting.
enum LabelFeature : std::size_t {
  kLogShare,        ///< ln(share + 0.01)
  kShare,           ///< the label's share of the neighbors' similarities to the power of 3
  kBestSimilarity,  ///< the largest of a neighbor that has the label; 0 without one
  kCosine,          ///< cosine to the sum of the label's documents
  kProfile,         ///< complement log-odds, see ClassSums; minus infinity without voters
  kLinear,          ///< of the label's linear classifier, see LinearVotes; 0 where there is none
  kLabelFeatures
};

/// The power of the similarity in kShare.
inline constexpr int kFeaturePower = 3;

/// Writes the features of one document, row-major [labels, kLabelFeatures]: floats, so that
/// millions of them fit in memory. `neighbors` end at the first kNoDocument; cosines, profiles
/// and linear have one value for each label; linear may be empty, and a NaN in it stands for 2
/// share - 1. `silent`: as above.
void fill_features(std::span<const Neighbor> neighbors, const SegmentList& mirror,
                   std::span<const double> cosines, std::span<const double> profiles,
                   std::span<const double> linear, std::span<float> features,
                   std::span<const std::uint32_t> silent = {});

/// True if a label has voters, by its features.
inline bool has_voters(std::span<const float> label_features) {
  return !std::isinf(label_features[kProfile]);
}

/// ln(1 + e^z).
inline double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

/// Corrects the log-odds z of a label, that is ln(p / (1 - p)), of several that a document may
/// have:
///
///     offset + unlikely * ln p - likely * ln(1 - p) + ahead * max(lead, 0)
///
/// (beta calibration: Kull, Silva Filho and Flach 2017). For small p, only `unlikely` matters, for
/// large p only `likely`. People leave out labels that they might have given, so a large p grows
/// more slowly than z says. `lead` is z less the largest of all other labels: it sets the best
/// label apart. The default changes nothing. The order of a document's labels never changes.
struct Calibration {
  double offset = 0;
  double unlikely = 1, likely = 1, ahead = 0;  ///< at least 0

  bool operator==(const Calibration&) const = default;

  double corrected(double z, double lead) const {
    return offset - unlikely * softplus(-z) + likely * softplus(z) + ahead * std::max(lead, 0.0);
  }
};

/// The numbers that a combiner weighs: 1 for the intercept, the features, and the four leads of
/// the multi-label form.
inline constexpr std::size_t kCombinerSize = 1 + kLabelFeatures + 4;
using CombinerRow = std::array<double, kCombinerSize>;

/// Turns the features of a document's labels into probabilities:
///
///     z(l) = intercept + sum over features f of coefficient[f] * x(l, f)
///
///     single label:  P(l) = e^z(l) / sum over all labels m of e^z(m)
///
///     multi-label:   P(l) = 1 / (1 + e^-z'(l)), z' as `calibration` corrects z
///
/// The multi-label form has four more features: by how much the label's cosine, best similarity,
/// profile and linear value each exceed the largest of all other labels. Such a lead is at most 0
/// for every label but the best. The single-label form does without these, and without an
/// intercept: a softmax compares labels by itself, and an intercept would not change it.
///
/// A label without voters is none of the labels m, and is compared with no other: its features tell
/// nothing. P is 0 for it, and for a label none of whose voters has a term of the document. P does
/// not depend on the order of the labels.
struct Combiner {
  bool single_label = false;
  double intercept = 0;
  std::array<double, kCombinerSize - 1> coefficients{};
  Calibration calibration;  ///< of the multi-label form

  /// The intercept and the coefficients, one for each number that is weighed.
  CombinerRow row() const;

  /// `features` is row-major [probabilities.size(), kLabelFeatures].
  void combine(std::span<const float> features, std::span<double> probabilities) const;
};

/// The two largest values of one kind over all labels.
template <typename Value>
struct Largest {
  Value first = -std::numeric_limits<Value>::infinity(), second = first;

  void add(Value value) {
    second = std::max(second, std::min(first, value));
    first = std::max(first, value);
  }
  /// By how much a label exceeds the best of all others; 0 if it is the only one.
  Value lead(Value value) const {
    const Value other = value == first ? second : first;
    return std::isinf(other) ? 0 : value - other;
  }
};

template <std::size_t kSize>
double dot(const std::array<double, kSize>& a, const std::array<double, kSize>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) sum += a[i] * b[i];
  return sum;
}

/// Fills in the row of every label of one document. `features` is row-major [rows.size(),
/// kLabelFeatures]. Labels without voters are not compared with the others.
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

/// Replaces each z by e^z / (sum of e^z). Returns ln(sum of e^z). Expects at least one z. The sum
/// is one of integers, so it does not depend on the order.
double soften(std::span<double> z);

}  // namespace kindred
