#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/answers/shard_revisions.h"

namespace kindred {

struct TopicMap;

/// How to make a map of an index.
struct TopicsRequest {
  std::optional<std::int64_t> rows;     ///< not set: for about 5 sqrt(documents) units
  std::optional<std::int64_t> columns;  ///< as rows
  std::int64_t epochs = 20;             ///< passes over the documents; training may end sooner
  std::string lattice = "hexagonal";    ///< or "rectangular"
  std::int64_t seed = 1;                ///< of random starts
  std::int64_t count = 0;               ///< how many topics; 0 = training finds a number
  bool toroidal = false;
  bool resume = false;          ///< continue from the map that is there, with its lattice and seed
  std::string start = "plane";  ///< "plane", "documents" or "uniform" (gpu/som/start.h)
  double sigma_start = 0;       ///< 0 = half the shorter side
  double sigma_end = 0.7;
  bool linear = false;  ///< sigma falls linearly instead of exponentially
  bool cut = false;     ///< the neighborhood ends at sigma
};

/// An epoch of training, reported before the units move. The errors are over the terms of the map.
struct TopicsEpoch {
  std::uint32_t epoch = 0;   ///< from 1
  std::uint32_t epochs = 0;  ///< planned
  double sigma = 0;
  double quantization_error = 0;
  double topographic_error = 0;
  std::uint64_t moved = 0;  ///< documents whose unit changed
};

/// Called in the thread that trains. If it returns false, training is canceled and nothing changes.
using TopicsProgress = std::function<bool(const TopicsEpoch&)>;

/// A term that tells a topic from the rest.
struct TopicTerm {
  std::string term;  ///< as the index spells it, prefix included
  std::string word;  ///< as people write it: the most frequent word of the index with this stem
  double score = 0;  ///< p ln(p / q), p and q its share of the topic's and of all documents
};

/// A document and how near it is to the middle of its topic or unit.
struct TopicDocument {
  Xapian::docid docid = 0;
  std::string id;
  std::string title;
  double similarity = 0;  ///< cosine, in [0, 1]
};

/// A connected part of the map.
struct Topic {
  std::uint32_t number = 0;  ///< from 1, the largest topic first
  std::string name;          ///< its first words
  std::uint64_t documents = 0;
  std::vector<TopicTerm> terms;          ///< most telling first
  std::vector<TopicDocument> typical;    ///< nearest to the mean of the topic first
  std::vector<std::uint32_t> neighbors;  ///< topics that border on it, ascending
};

/// One unit of the map and what it holds.
struct TopicUnit {
  double x = 0;  ///< place on the map: units of a row are 1 apart
  double y = 0;
  std::uint32_t topic = 0;  ///< number
  std::uint32_t documents = 0;
  float height = 0;                    ///< U-matrix: mean distance to its neighbors
  std::string label;                   ///< the most frequent label of its documents, or ""
  std::vector<std::uint32_t> columns;  ///< its heaviest terms, as columns of the map
  std::vector<TopicDocument> typical;  ///< its nearest documents
};

/// Where a document lies on the map. If none of its terms is on the map, it has no place: topic is
/// 0, novelty is 1, and unit and distance mean nothing.
struct TopicPlacement {
  std::uint32_t unit = 0;
  std::uint32_t topic = 0;  ///< from 1, or 0
  double distance = 0;      ///< to the unit, over all terms, in [0, about 1.4]
  /// Share of the map's own documents that are nearer, by angle, to their units than this one is to
  /// its unit, in [0, 1]. 1 if it shares no term with its unit.
  double novelty = 0;
  std::uint64_t revision = 0;  ///< of the index that the map was made of
};

/// A document of the index and where it lies.
struct PlacedDocument {
  Xapian::docid docid = 0;
  std::string id;
  TopicPlacement place;
};

/// Where documents of one snapshot lie on one map.
struct PlacedDocuments {
  std::shared_ptr<const TopicMap> map;
  std::uint64_t revision = 0;             ///< of the index whose documents these are
  std::vector<PlacedDocument> documents;  ///< docid ascending
  ShardRevisions shards = nullptr;        ///< of its shards, if there are several
};

}  // namespace kindred
