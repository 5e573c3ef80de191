#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/som/lattice.h"
#include "gpu/som/match.h"
#include "gpu/som/rows.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

/// Which columns are stop words, and so say nothing about a topic. An index that another program
/// made may have them all, in languages that nothing names. So a built-in list counts if the
/// documents are, at least in part, in its language: a third of its words, or more, are each in one
/// document of a hundred. Case and accents do not matter.
/// @param words column -> word as people write it.
/// @param df the number of documents that each column is in, of `documents`.
std::vector<bool> stop_columns(const std::vector<std::string>& words,
                               const std::vector<std::uint32_t>& df, std::uint64_t documents);

/// A map whose units are joined to topics, and the documents on it. Everything is borrowed.
struct GroupedMap {
  const Mirror& mirror;
  const SomLattice& lattice;
  const SparseCodebook& codebook;
  const StringTable& terms;                  ///< column -> term as the index spells it
  const std::vector<std::string>& words;     ///< column -> word as people write it
  const std::vector<std::uint32_t>& group;   ///< of each unit, the number of its topic minus 1
  const std::vector<std::uint32_t>& hits;    ///< of each unit, its documents
  SomRows rows;                              ///< the documents over the columns, weighted
  const std::vector<Xapian::docid>& docids;  ///< one per row
  const std::vector<SomMatch>& matches;      ///< one per row

  std::uint32_t topics() const;  ///< how many there are
};

/// The topics: the most telling terms of each (informativeness p ln(p / q), Tomokiyo and Hurst
/// 2003), without numbers and stop words, the name made of the first of them, the topics that it
/// borders on, and typical documents.
std::vector<Topic> describe_topics(const GroupedMap& map);

/// The units: the terms that weigh most in each, without numbers and stop words, the most frequent
/// label of its documents (ties go to the lower one), and the nearest documents. `heights`:
/// the U-matrix.
std::vector<TopicUnit> describe_units(const GroupedMap& map, const std::vector<float>& heights);

}  // namespace kindred
