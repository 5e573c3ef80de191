#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/som/rows.h"
#include "gpu/som/twin.h"
#include "plugin/answers/topics.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

/// A map whose units are joined to topics, and the documents on it. Everything is borrowed.
struct GroupedMap {
  const SomLattice& lattice;
  const SparseCodebook& codebook;
  const StringTable& terms;                 ///< column -> term as the index spells it
  const std::vector<std::string>& words;    ///< column -> word as people write it
  const std::vector<std::uint32_t>& group;  ///< of each unit, the number of its topic minus 1
  SparseRows rows;                          ///< the documents over the columns, weighted
  const std::vector<SomMatch>& matches;     ///< one per row

  std::uint32_t topics() const;  ///< how many there are
};

/// A document by its row, and how near it is to the middle of its topic or unit.
struct NearRow {
  std::uint32_t row = 0;
  double similarity = 0;  ///< cosine, in [0, 1]
};

/// The name, terms and documents that tell a topic from the others.
struct TopicDescription {
  std::string name;
  std::vector<TopicTerm> terms;  ///< most telling first
  std::vector<NearRow> typical;  ///< nearest first
};

/// The terms and documents of a unit.
struct UnitDescription {
  std::vector<std::uint32_t> columns;  ///< heaviest first
  std::vector<NearRow> typical;        ///< nearest first
};

/// For each topic, the most telling terms (informativeness p ln(p / q), Tomokiyo and Hurst 2003),
/// without numbers and stop words, the name made of the first of them, and typical documents.
std::vector<TopicDescription> describe_topics(const GroupedMap& map);

/// For each unit, the terms that weigh most, without numbers and stop words, and its nearest
/// documents.
std::vector<UnitDescription> describe_units(const GroupedMap& map);

}  // namespace kindred
