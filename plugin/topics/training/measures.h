#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"
#include "gpu/som/twin.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/map.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

/// 1,001 quantiles of the distance by angle between documents and their units, over all terms and
/// not only those of the map. `matches`: one per row.
std::vector<float> spread_of(const SparseRows& rows, const std::vector<SomMatch>& matches,
                             const SparseCodebook& codebook);

/// How well units and topics agree with labels, over the documents with exactly one label.
/// `matches`: one per row of the mirror; `group`: the topic of each unit.
TopicAgreement agreement_of(const Mirror& mirror, const std::vector<SomMatch>& matches,
                            const std::vector<std::uint32_t>& group);

}  // namespace kindred
