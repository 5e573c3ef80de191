#pragma once

#include <cstdint>
#include <vector>

#include "gpu/som/twin.h"
#include "plugin/topics/map.h"

namespace kindred {

/// Describes the topics of a map whose units know their topic, and its units: sizes, borders,
/// telling terms (informativeness p ln(p / q), Tomokiyo and Hurst 2003; numbers name nothing),
/// typical documents by docid and similarity only. The map must have codebook and words.
/// @param rows the documents over the map's columns, weighted
/// @param matches one for each row
void describe_topics(const SomLattice& lattice, const SparseRows& rows,
                     const std::vector<SomMatch>& matches, const std::vector<Xapian::docid>& docids,
                     TopicMap& map);

}  // namespace kindred
