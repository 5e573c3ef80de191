#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/parts.h"

namespace kindred {

/// At most `most` of the latest tenth of the voters by docid, drawn by `seed`, in `folds` parts, to
/// be classified by the earlier ones. None if they are fewer than 100, or if their labels are too
/// different from those of all: then docids follow subjects rather than time.
std::vector<Part> latest(const Mirror& mirror, const DocumentSet& voters, std::size_t folds,
                         std::size_t most, std::uint64_t seed);

/// The known blend, fitted to the latest documents as the earlier ones classify them. None if that
/// does not pay: fitted to the other folds, it must have a lower mean log loss, by a clear
/// difference of at least 0.01.
/// @param known the blend that was fitted by leave-one-out
/// @param lists of the latest documents, as CrossFit::shortlists_of() finds them
std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    const Shortlists& lists, std::size_t threads);

}  // namespace kindred
