#include "plugin/topics/map.h"

#include <algorithm>
#include <cmath>

#include "analyzer/smart_weighting.h"
#include "config/error.h"
#include "config/shown.h"
#include "gpu/workers.h"
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

  const double inside = known > 0 ? known / squared : 0;
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
  codebook->each_weight(column, [&](std::uint32_t u, float weight) { values[u] = weight; });
  return values;
}

std::string topic_map_path(const std::string& database) { return index_file_path(database, "som"); }

namespace {

std::string listed(const std::vector<std::string>& prefixes) {
  std::string list;
  for (const std::string& prefix : prefixes) append_item(list, "'" + prefix + "'");
  return list;
}

}  // namespace

DocumentPlacer::DocumentPlacer(const Mirror& mirror, const TopicMap& map)
    : mirror_(mirror), map_(map) {
  if (map.origin.prefixes != mirror.prefixes)
    throw Error(Errc::kInvalidArgument, "the map was made of terms under " +
                                            listed(map.origin.prefixes) + ", but the index has " +
                                            listed(mirror.prefixes) + "; train it again");

  // The terms are looked up once, since all documents have the same ones.
  column_of_.reserve(mirror.df.size());
  for (std::uint32_t term = 0; term < mirror.df.size(); ++term)
    column_of_.push_back(map.terms->find(mirror.vocabulary[term]).value_or(kNone));
}

TopicPlacement DocumentPlacer::place(Xapian::docid docid) const {
  MapCounts counts;
  const RowEntries stored = mirror_.terms_of(docid);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::uint32_t column = column_of_[stored.columns[i]];
    if (column == kNone) {
      counts.strange.push_back(stored.counts[i]);
    } else {
      counts.known.emplace_back(column, stored.counts[i]);
    }
  }
  return map_.place(std::move(counts));
}

std::vector<TopicPlacement> DocumentPlacer::place(std::span<const Xapian::docid> docids,
                                                  std::size_t threads, const Pulse& pulse) const {
  constexpr std::size_t kBlock = 64;
  std::vector<TopicPlacement> places(docids.size());
  for_each_chunk(docids.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      pulse();
      places[i] = place(docids[i]);
    }
  });
  return places;
}

std::vector<PlacedDocument> place_documents(const Mirror& mirror, const TopicMap& map,
                                            std::span<const Xapian::docid> docids,
                                            std::size_t threads, const Pulse& pulse) {
  // In parallel first; ids are read by one thread, as they come from the index.
  const std::vector<TopicPlacement> found =
      DocumentPlacer(mirror, map).place(docids, threads, pulse);

  std::vector<PlacedDocument> places;
  places.reserve(docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i) {
    pulse();
    places.push_back({docids[i], mirror.id_of(docids[i]), found[i]});
  }
  return places;
}

}  // namespace kindred
