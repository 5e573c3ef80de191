#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gpu/document_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/parts.h"

namespace kindred {

/// At most `most` of the latest tenth of the voters by docid, drawn by `seed`, to be classified by
/// the earlier ones. None if their labels are too different from those of all: then docids follow
/// subjects rather than time.
Part latest(const Mirror& mirror, const DocumentSet& voters, std::size_t most, std::uint64_t seed);

/// The known blend, calibrated by the latest documents as the earlier ones classify them. Its order
/// of labels stays, since the latest documents are too few to tell it better than all do. None if
/// that does not pay: calibrated by the first half of them, it must have a lower mean log loss on
/// the other, by a clear difference of at least 0.01.
/// @param known the blend that was fitted by leave-one-out
/// @param lists of the latest documents, as CrossFit::shortlists_of() finds them
std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    const Shortlists& lists, std::size_t threads);

}  // namespace kindred
