#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/api.h"
#include "plugin/documents/topic_placement.h"
#include "plugin/mirror/mirror.h"
#include "plugin/questions.h"

namespace kindred {

using api::TopicTerm;

class SparseCodebook;
class StringTable;

/// A document and how near it is to the middle of its topic or unit.
struct TopicDocument {
  Xapian::docid docid = 0;
  double similarity = 0;  ///< cosine, in [0, 1]
  /// As the index has them now: filled by Reading::describe(), and no part of a map.
  std::string id = {}, title = {};
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

/// How well units and topics agree with labels, over the documents with exactly one label. All 0
/// without such documents.
struct TopicAgreement {
  std::uint64_t documents = 0;
  double unit_purity = 0;
  double unit_mutual_information = 0;  ///< normalized, in [0, 1]
  double topic_purity = 0;
  double topic_mutual_information = 0;
};

/// What a map was made of, and how.
struct TopicMapOrigin {
  std::string uuid;
  std::uint64_t revision = 0;
  std::uint64_t documents = 0;
  std::vector<std::string> prefixes;  ///< of the feature terms
  std::string weighting;              ///< SMART letters
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  bool hexagonal = true;
  bool toroidal = false;
  std::int64_t seed = 0;
  std::uint32_t epochs = 0;  ///< trained
  double sigma_start = 0;
  double sigma_end = 0;
  bool cut = false;
  double seconds = 0;  ///< time of training
};

/// The term counts of a document, as a map needs them.
struct MapCounts {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;  ///< column, count
  std::vector<std::uint32_t> strange;                          ///< counts of terms that it lacks
};

/// A map of an index: units, topics, and everything that is needed to place further documents.
/// Immutable, so any number of threads may use it. It does not need the index that it was made of.
struct KINDRED_API TopicMap {
  TopicMapOrigin origin;
  double quantization_error = 0;  ///< mean distance over the terms of the map
  double topographic_error = 0;
  TopicAgreement agreement;
  std::vector<Topic> topics;  ///< number i + 1 at i
  std::vector<TopicUnit> units;
  std::shared_ptr<const StringTable> terms;        ///< column -> term as the index spells it
  std::shared_ptr<const SparseCodebook> codebook;  ///< the weights of the units
  std::vector<std::string> words;                  ///< column -> word as people write it
  std::vector<double> idf;                         ///< [columns]
  std::vector<float> spread;  ///< 1,001 quantiles of 1 - cosine of documents and their units
  std::string stamp;          ///< file_stamp() of the file that it was read from; "" = of none

  /// Places a document by its features, spelled as in the index. Terms that the map does not have
  /// weigh as much as the rarest terms, so that a document of other subjects is far from all units.
  TopicPlacement place(const TermBag& features) const;

  /// Places a document by the counts of its terms, in any order.
  TopicPlacement place(MapCounts counts) const;

  /// The column of a term, or of a word as people write it.
  std::optional<std::uint32_t> column_of(std::string_view term_or_word) const;

  /// A component plane: the weights of a column, one per unit.
  std::vector<float> plane(std::uint32_t column) const;
};

/// The same place as answers say it: with the row, the column and the name of its topic.
api::TopicPlace topic_place(const TopicMap& map, const TopicPlacement& placement);

/// The file of the map of a database: kindred.som in its directory, else PATH.kindred-som.
KINDRED_API std::string topic_map_path(const std::string& database);

}  // namespace kindred
