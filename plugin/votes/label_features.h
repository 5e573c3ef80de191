#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace kindred {

/// The features of a document and a label, under one weighting: floats, so that millions of them
/// fit in memory.
enum LabelFeature : std::size_t {
  kLogShare,        ///< ln(share + 0.01)
  kShare,           ///< the label's share of the neighbors' similarities to the power of 3
  kBestSimilarity,  ///< the largest of a neighbor that has the label; 0 without one
  kCosine,          ///< cosine to the sum of the label's documents
  kProfile,         ///< complement log-odds, see LabelComparison
  kLinear,          ///< of the label's linear classifier, see LinearVotes; 0 if there are none
  kFewShare,        ///< ln(share + 0.01) in the vote "few"; 0 with many voters
  kNamed,           ///< ln(1 + 20 s), s the cosine of the label's name; 0 of one that is not near
  kWholeName,       ///< ln(1 + length) of a name that the text has, NamedTerm::length; else 0
  kLabelFeatures
};

/// The power of the similarity in kShare.
inline constexpr int kFeaturePower = 3;

/// Products of two features, for what tells more where the other agrees: kCosine * kProfile, and
/// kLogShare * kNamed.
inline constexpr std::size_t kProducts = 2;

/// By how much kCosine, kBestSimilarity, kProfile and kLinear lead; of the multi-label form.
inline constexpr std::size_t kLeads = 4;

/// The numbers that a combiner weighs: 1 for the intercept, the features, products and leads.
inline constexpr std::size_t kCombinerSize = 1 + kLabelFeatures + kProducts + kLeads;
using CombinerRow = std::array<double, kCombinerSize>;

/// Fills in the row of each label on one document's shortlist. `features` is row-major
/// [rows.size(), kLabelFeatures].
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

}  // namespace kindred
