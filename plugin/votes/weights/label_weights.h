#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/votes/voters.h"

namespace kindred {

/// What the labels of some documents, the voters, tell of each term of a mirror.
struct LabelInformation {
  std::vector<double> divergence;     ///< square of TermScore::kDivergence, in nats
  std::vector<std::uint32_t> voters;  ///< how many of them hold the term
};

/// `voters`: their labels are numbered below `label_count`. Sums have a fixed order, so the result
/// depends neither on `threads` nor on how the mirror came about.
LabelInformation label_information(const Voters& voters, std::uint32_t label_count,
                                   std::size_t threads);

/// The square root of each idf; 0 for one below 0. In a cosine both documents bring their weight,
/// so the information of a term counts once.
std::vector<double> roots_of_idf(const std::vector<double>& idf);

/// The weight of each term by how rare it is and what it tells of labels, >= 0. Let d be the voters
/// that hold a term, KL its divergence, and s the sum of d KL over the sum of d idf, over all
/// terms. Then it is the geometric mean of the root of idf and of
///
///     sqrt((d KL + 5 s idf) / (d + 5))
///
/// If no term tells labels apart, roots_of_idf(). `information`: of the terms of `idf`.
std::vector<double> label_weights(const std::vector<double>& idf,
                                  const LabelInformation& information);

}  // namespace kindred
