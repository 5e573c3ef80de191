#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "config/pulse.h"
#include "gpu/queries.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {

/// Documents that linear classifiers are learned from. Those without a term teach nothing. Their
/// order should be one of chance.
struct LinearExamples {
  Queries vectors;
  std::vector<std::vector<std::uint32_t>> of_label;  ///< the documents of each label, ascending
};

/// For each label, the support vector machine with squared hinge loss that tells its documents from
/// all others:
///
///     minimize |w|^2 / 2 + sum over documents of C max(0, 1 - y (w, o).(x, 1))^2
///
/// y is 1 and C is 2 if the document has the label, else they are -1 and 1/2: labels have few
/// documents, so each of these counts more. x is the document's vector, w holds a weight for each
/// term of the label's documents, and o is the offset, which counts in |w|. Solved by dual
/// coordinate descent (Hsieh et al. 2008) in three rounds. A round passes over all documents in
/// their order, then up to three times over those whose gradients were 0.01 or more in the last
/// pass; it ends when the gradients of a pass and 0 differ by at most 0.1, and a first pass that
/// ends so is the last. The result does not depend on `threads`.
/// @param on_label called when a label is learned, in any thread; may be empty
/// @return parts without names: labels, terms, and what was learned from are left to the caller.
///         There is one row of entries for each of `terms` terms.
LinearClassifiers fit_linear(const LinearExamples& examples, std::uint32_t terms,
                             std::size_t threads, const Pulse& pulse = {},
                             const std::function<void()>& on_label = {});

}  // namespace kindred
