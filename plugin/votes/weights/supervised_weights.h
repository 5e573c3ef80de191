#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/votes/voters.h"

namespace kindred {

/// How much a term tells about the labels of a document that holds it: a number >= 0.
enum class TermScore {
  kDivergence,       ///< square root of the Kullback-Leibler divergence, see below
  kInformationGain,  ///< Yang and Pedersen 1997, section 2.2, in nats
};

/// Scores every term of the mirror, by these sums and shares:
///
///     n(l)   = sum of 1 / |labels(d)| over the voters d that have label l
///     p(l)   = n(l) / (sum of n over all labels)
///     c(t,l) = as n(l), but over the voters that hold term t
///     c(t)   = sum of c(t,l) over all labels
///     q(t,l) = (c(t,l) + p(l)) / (c(t) + 1)
///     kDivergence(t) = sqrt(sum over l of q(t,l) ln(q(t,l) / p(l)))
///
/// Information gain is computed from the same c and n. A term that no voter holds
/// scores 0. By divergence, a term that only one voter holds scores 0, too. Sums have a fixed
/// order, so the result does not depend on `threads`.
std::vector<double> score_terms(TermScore score, const Voters& voters, std::uint32_t label_count,
                                std::size_t threads);

/// Sets weights to 0, except those of the best terms. These are the `share` (rounded up) of the
/// terms with a score above 0 that have the highest scores. Ties go to the lower term. A share of 1
/// keeps all terms with a score above 0.
void keep_best_terms(const std::vector<double>& scores, double share, std::vector<double>& weights);

}  // namespace kindred
