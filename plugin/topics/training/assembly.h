#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin/answers/topics.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/training/naming.h"

namespace kindred {

/// A row with the id and title of its document.
using NameDocument = std::function<TopicDocument(const NearRow& near)>;

/// The topics of a map, each from its description: how many documents lie in it, and on which
/// others it borders. `hits`: the documents of each unit.
std::vector<Topic> make_topics(const GroupedMap& map, const std::vector<std::uint32_t>& hits,
                               const std::vector<TopicDescription>& descriptions,
                               const NameDocument& name_document);

/// What is known of each unit besides its topic.
struct UnitParts {
  std::vector<std::uint32_t> hits;  ///< documents
  std::vector<float> heights;       ///< the U-matrix
  std::vector<std::string> labels;  ///< labels_of_units()
  std::vector<UnitDescription> descriptions;
};

/// The units of a map, each from its parts.
std::vector<TopicUnit> make_units(const GroupedMap& map, const UnitParts& parts,
                                  const NameDocument& name_document);

/// The most frequent label of the documents of each of so many units, "" where none has one; ties
/// go to the lower label. `matches`: one for each row of the mirror.
std::vector<std::string> labels_of_units(std::uint32_t units, const Mirror& mirror,
                                         const std::vector<SomMatch>& matches);

}  // namespace kindred
