#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugin/votes/tuning.h"
#include "plugin/votes/voters.h"

namespace kindred {

/// What a term tells of the labels of a document that holds it: one number >= 0 for each term.
enum class TermScore {
  kIdf,              ///< ln(N / df) of the voters
  kDivergence,       ///< square root of the Kullback-Leibler divergence, see below
  kInformationGain,  ///< Yang and Pedersen 1997, section 2.2, in nats
  kChiSquare,        ///< the same, section 2.4: the largest of the labels, over N, so in [0, 1]
};

/// Scores every term of the mirror. With n(l) the sum of 1 / |labels(d)| over the voters d of
/// label l, p(l) = n(l) / sum of n, and c(t,l) the same sum over those that hold t, c(t) its sum:
///
///     q(t,l) = (c(t,l) + p(l)) / (c(t) + 1)
///     kDivergence(t) = sqrt(sum over l of q(t,l) ln(q(t,l) / p(l)))
///
/// Information gain and chi-square are of the same masses c and n. A term that no voter holds
/// scores 0. By divergence, so does a term of a single voter, which shares it with none. Sums have
/// a fixed order: the result does not depend on `threads`.
std::vector<double> score_terms(TermScore score, const Voters& voters, std::uint32_t label_count,
                                std::size_t threads);

/// The weights of a kind without corrections; `plain` are those of kIdf. Terms beyond the best
/// `keep_terms` by information gain weigh 0, unless that is 1.
std::vector<double> weights_of_kind(TermWeightKind kind, double keep_terms, const Voters& voters,
                                    std::uint32_t label_count, const std::vector<double>& plain,
                                    std::size_t threads);

/// Sets to 0 all weights but those of the best `share` of the terms with a score above 0 (rounded
/// up), by score, then by number. 1 keeps all.
void keep_best_terms(const std::vector<double>& scores, double share, std::vector<double>& weights);

}  // namespace kindred
