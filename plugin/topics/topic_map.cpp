#include "plugin/topics/topic_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/smart_weighting.h"
#include "gpu/ratio.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {

TopicPlacement TopicMap::place(const TermBag& features) const {
  // A term that the map has not is strange to it, and speaks for novelty.
  MapCounts counts;
  for (const TermCount& feature : features) {
    if (const auto column = terms->find(feature.term)) {
      counts.known.emplace_back(*column, feature.count);
    } else {
      counts.strange.push_back(feature.count);
    }
  }
  return place(std::move(counts));
}

TopicPlacement TopicMap::place(MapCounts counts) const {
  // Sorted, so that equal counts in any order are placed equally, to the last bit.
  std::sort(counts.known.begin(), counts.known.end());
  std::sort(counts.strange.begin(), counts.strange.end());

  const SmartWeighting smart(origin.weighting);
  std::vector<std::uint32_t> columns;
  std::vector<double> raw;
  double known = 0;
  double strange = 0;

  // The weights of a row as in training: tf times idf. A term that the map does not know counts as
  // one of a single document.
  for (const auto& [column, count] : counts.known) {
    const double weight = smart.tf(count) * idf[column];
    if (!(weight > 0)) continue;
    columns.push_back(column);
    raw.push_back(weight);
    known += weight * weight;
  }

  for (const std::uint32_t count : counts.strange) {
    const double weight = smart.tf(count) * smart.idf(origin.documents, 1);
    strange += weight * weight;
  }

  // The row has length 1 over all of its terms, known or not, as the rows that were trained.
  const double squared = known + strange;
  const double length = std::sqrt(squared);
  std::vector<float> weights;
  weights.reserve(raw.size());
  for (const double weight : raw) weights.push_back(static_cast<float>(weight / length));

  const double inside = ratio_or_zero(known, squared);
  const SomMatch match = codebook->match(columns, weights);

  // The strange part is at a right angle to every unit, so its square adds to the distance.
  TopicPlacement placement;
  placement.unit = match.unit;
  placement.topic = columns.empty() ? 0 : units[match.unit].topic;
  placement.distance = std::sqrt(match.distance * match.distance + std::max(0.0, 1 - inside));

  // Novelty is the share of the documents of the training that were nearer to their unit.
  const auto apart = static_cast<float>(codebook->angular_distance(match, inside));
  const auto nearer = std::lower_bound(spread.begin(), spread.end(), apart) - spread.begin();
  placement.novelty =
      apart == 1 ? 1 : static_cast<double>(nearer) / static_cast<double>(spread.size());

  placement.revision = origin.revision;
  return placement;
}

std::optional<std::uint32_t> TopicMap::column_of(std::string_view term_or_word) const {
  if (const auto column = terms->find(term_or_word)) return column;
  const auto word = std::find(words.begin(), words.end(), term_or_word);
  if (word == words.end()) return {};
  return static_cast<std::uint32_t>(word - words.begin());
}

std::vector<float> TopicMap::plane(std::uint32_t column) const {
  std::vector<float> values(units.size());
  codebook->each_weight(column, [&](std::uint32_t u, float weight) {
    values[u] = weight;
  });
  return values;
}

api::TopicPlace topic_place(const TopicMap& map, const TopicPlacement& placement) {
  api::TopicPlace place;
  place.novelty = placement.novelty;
  place.map_revision = placement.revision;
  place.distance = std::numeric_limits<double>::quiet_NaN();
  if (placement.topic == 0) return place;  // none of its terms is on the map

  place.unit = placement.unit;
  place.row = placement.unit / map.origin.columns;
  place.column = placement.unit % map.origin.columns;
  place.topic = placement.topic;
  place.name = map.topics[placement.topic - 1].name;
  place.distance = placement.distance;
  return place;
}

std::string topic_map_path(const std::string& database) { return index_file_path(database, "som"); }

}  // namespace kindred
