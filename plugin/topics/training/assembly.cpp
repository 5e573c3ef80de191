#include "plugin/topics/training/assembly.h"

#include <algorithm>
#include <map>
#include <set>

namespace kindred {
namespace {

/// The numbers of the topics that each topic borders on, ascending.
std::vector<std::set<std::uint32_t>> borders_of(const GroupedMap& map) {
  std::vector<std::set<std::uint32_t>> borders(map.topics());
  for (std::uint32_t u = 0; u < map.group.size(); ++u)
    for (const std::uint32_t v : neighbors_of(map.lattice, u))
      if (map.group[v] != map.group[u]) borders[map.group[u]].insert(map.group[v] + 1);
  return borders;
}

std::vector<TopicDocument> named(const std::vector<NearRow>& rows,
                                 const NameDocument& name_document) {
  std::vector<TopicDocument> documents;
  documents.reserve(rows.size());
  for (const NearRow& near : rows) documents.push_back(name_document(near));
  return documents;
}

}  // namespace

std::vector<Topic> make_topics(const GroupedMap& map, const std::vector<std::uint32_t>& hits,
                               const std::vector<TopicDescription>& descriptions,
                               const NameDocument& name_document) {
  const auto borders = borders_of(map);
  std::vector<std::uint64_t> documents(map.topics());
  for (std::size_t u = 0; u < hits.size(); ++u) documents[map.group[u]] += hits[u];
  std::vector<Topic> topics;
  for (std::uint32_t i = 0; i < descriptions.size(); ++i) {
    const TopicDescription& description = descriptions[i];
    topics.push_back({i + 1,
                      description.name,
                      documents[i],
                      description.terms,
                      named(description.typical, name_document),
                      {borders[i].begin(), borders[i].end()}});
  }
  return topics;
}

std::vector<TopicUnit> make_units(const GroupedMap& map, const UnitParts& parts,
                                  const NameDocument& name_document) {
  std::vector<TopicUnit> units;
  for (std::uint32_t u = 0; u < map.group.size(); ++u) {
    const UnitDescription& description = parts.descriptions[u];
    units.push_back({map.lattice.x(u), map.lattice.y(u), map.group[u] + 1, parts.hits[u],
                     parts.heights[u], parts.labels[u], description.columns,
                     named(description.typical, name_document)});
  }
  return units;
}

std::vector<std::string> labels_of_units(std::uint32_t units, const Mirror& mirror,
                                         const std::vector<SomMatch>& matches) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> counts(units);
  for (std::uint32_t row = 0; row < matches.size(); ++row)
    for (const std::uint32_t label : mirror.labels.of(row)) ++counts[matches[row].unit][label];
  std::vector<std::string> labels(units);
  for (std::uint32_t u = 0; u < units; ++u) {
    const auto most =
        std::max_element(counts[u].begin(), counts[u].end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != counts[u].end()) labels[u] = mirror.labels.names[most->first];
  }
  return labels;
}

}  // namespace kindred
