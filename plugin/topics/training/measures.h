#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"
#include "gpu/som/twin.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/map.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

/// 1,001 quantiles of how far documents are from their units by angle, over all terms, of which the
/// map's are a part. `matches`: one for each row.
std::vector<float> spread_of(const SparseRows& rows, const std::vector<SomMatch>& matches,
                             const SparseCodebook& codebook);

/// How well the documents with exactly one label fall together, by unit and by topic. `matches`:
/// one for each row of the mirror; `group`: the topic of each unit.
TopicAgreement agreement_of(const Mirror& mirror, const std::vector<SomMatch>& matches,
                            const std::vector<std::uint32_t>& group);

}  // namespace kindred
