#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/answers/topics.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/training/naming.h"

namespace kindred {

/// Adds the id and title of its document to a row.
using NameDocument = std::function<TopicDocument(const NearRow& near)>;

/// The topics of a map, each from its description, with the number of its documents and the topics
/// that it borders on. `hits`: the number of documents of each unit.
std::vector<Topic> make_topics(const GroupedMap& map, const std::vector<std::uint32_t>& hits,
                               const std::vector<TopicDescription>& descriptions,
                               const NameDocument& name_document);

/// The data of each unit besides its topic.
struct UnitParts {
  std::vector<std::uint32_t> hits;  ///< documents
  std::vector<float> heights;       ///< the U-matrix
  std::vector<std::string> labels;  ///< labels_of_units()
  std::vector<UnitDescription> descriptions;
};

/// The units of a map, each from its parts.
std::vector<TopicUnit> make_units(const GroupedMap& map, const UnitParts& parts,
                                  const NameDocument& name_document);

/// For each of `units` units, the most frequent label of its documents, or "" if none has a label.
/// Ties go to the lower label. `matches`: one per row of the mirror.
std::vector<std::string> labels_of_units(std::uint32_t units, const Mirror& mirror,
                                         const std::vector<SomMatch>& matches);

}  // namespace kindred
