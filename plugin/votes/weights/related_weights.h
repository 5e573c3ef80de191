#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plugin/store/packing.h"
#include "plugin/votes/voters.h"

namespace kindred {

/// What a term weighs when related documents are found.
enum class RelatedWeights {
  kSmart,   ///< as the setting weighting.smart says
  kIdf,     ///< square root of idf
  kLabels,  ///< square root of what the term tells of labels, in nats; of rare terms also idf
  kBoth,    ///< geometric mean of the two
  kAuto,    ///< kBoth if a tuning says what terms tell of labels, else kIdf
};

/// The values of the setting related.weights.
/// @throws Error kInvalidArgument that lists the known names.
RelatedWeights related_weights(std::string_view name);

/// What the labels of some documents, the voters, tell of each term of a mirror.
struct LabelInformation {
  std::vector<double> divergence;     ///< square of TermScore::kDivergence, in nats
  std::vector<std::uint32_t> voters;  ///< how many of them hold the term

  std::size_t bytes() const;

  /// Stored in a tuning, divergences as floats.
  Packed packed() const;
  /// @throws std::runtime_error that says what is wrong with it.
  static LabelInformation unpacked(std::uint64_t terms, const Packed& packed);

  /// True if some term tells labels apart. If none does, weights are those of idf.
  bool tells() const;
};

/// `voters`: their labels are numbered below `label_count`. Sums have a fixed order, so the result
/// depends neither on `threads` nor on how the mirror came about.
LabelInformation label_information(const Voters& voters, std::uint32_t label_count,
                                   std::size_t threads);

/// The weight of each term, >= 0. Let d be the voters that hold a term, KL its divergence, and s
/// the sum of d KL over the sum of d idf, over all terms. Then
///
///     kSmart   idf
///     kIdf     sqrt(idf)
///     kLabels  sqrt((d KL + 5 s idf) / (d + 5))
///     kBoth    sqrt(kIdf * kLabels)
///
/// In a cosine both documents bring their weight, so by the last three the information of a term
/// counts once. `information` may be shorter than `idf`: no voter holds the other terms. It must
/// tell for kLabels and kBoth, and is not looked at for the others.
std::vector<double> related_term_weights(RelatedWeights kind, const std::vector<double>& idf,
                                         const LabelInformation& information);

}  // namespace kindred
