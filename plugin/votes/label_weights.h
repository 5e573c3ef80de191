#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/pulse.h"
#include "plugin/votes/voters.h"

namespace kindred {

/// What the labels of some documents, the voters, tell of each term of a mirror:
///
///     n(l)   = sum of 1 / |labels(d)| over the voters d that have label l
///     p(l)   = n(l) / (sum of n over all labels)
///     c(t,l) = as n(l), but over the voters that hold term t
///     c(t)   = sum of c(t,l) over all labels
///     q(t,l) = (c(t,l) + p(l)) / (c(t) + 1)
///     KL(t)  = sum over l of q(t,l) ln(q(t,l) / p(l))
struct LabelInformation {
  std::vector<double> divergence;     ///< KL(t); 0 for a term that fewer than two voters hold
  std::vector<std::uint32_t> voters;  ///< how many of them hold the term
};

/// `voters`: their labels are numbered below `label_count`. Sums have a fixed order, so the result
/// depends neither on `threads` nor on how the mirror came about.
LabelInformation label_information(const Voters& voters, std::uint32_t label_count,
                                   std::size_t threads, const Pulse& pulse = {});

/// The weight of each term by how rare it is and what it tells of labels, >= 0. Let d be the voters
/// that hold a term, KL its divergence, and s the sum of d KL over the sum of d idf, over all
/// terms. Then it is the geometric mean of the root of idf and of
///
///     sqrt((d KL + 5 s idf) / (d + 5))
///
/// If no term tells labels apart, the root of idf. In a cosine both documents bring their weight,
/// so what a term tells counts once. `information`: of the terms of `idf`.
std::vector<double> label_weights(const std::vector<double>& idf,
                                  const LabelInformation& information);

}  // namespace kindred
