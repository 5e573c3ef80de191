#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "config/pulse.h"
#include "gpu/knn/backend.h"
#include "gpu/segment_list.h"

namespace kindred {

/// The documents that corrections are learned from, and their neighbors.
struct CorrectionExamples {
  const SegmentList& mirror;
  const TermWeighting& base;                 ///< the weights that are corrected
  std::span<const std::uint32_t> documents;  ///< whose labels the vote should give
  std::span<const Neighbor> neighbors;       ///< [documents, k] by the base weights, without the
                                             ///< document itself; a short list ends in kNoDocument
  std::size_t k = 0;
};

/// The derivatives of a loss by the corrections theta, one for each term. The weights are
/// w = base * e^theta, and s_j is the dot product of the unit vectors of d and its neighbor j under
/// these weights:
///
///     P(l, d) = sum over neighbors j of d that have l of s_j^5 / sum over all of s_j^5
///     loss = sum over d of ( - sum over l of d of ln((P + e) / (1 + e))
///                            - sum over other l with P > 0 of ln((1 - P + e) / (1 + e)) )
///            + lambda |theta|^2,      e = 0.02
///
/// This is the leave-one-out log loss of a soft nearest-neighbor vote. It follows neighborhood
/// components analysis (Goldberger et al. 2005), with fixed neighbors and a diagonal metric on
/// terms.
/// Sums have a fixed order: the result does not depend on `threads`.
std::vector<double> correction_gradient(const CorrectionExamples& set,
                                        std::span<const double> theta, double lambda,
                                        std::size_t threads, const Pulse& pulse = {});

/// Minimizes that loss, from theta = 0, by `steps` steps of Adam (Kingma and Ba 2015) on the whole
/// set: rate 0.1, decay 0.9 and 0.99, epsilon 0.01.
/// @param on_step called after each step; may be empty
std::vector<double> fit_corrections(const CorrectionExamples& set, double lambda, int steps,
                                    std::size_t threads, const Pulse& pulse = {},
                                    const std::function<void()>& on_step = {});

}  // namespace kindred
