#include "plugin/topics/training/measures.h"

#include <algorithm>

#include "gpu/som/quality.h"

namespace kindred {

std::vector<float> spread_of(const SparseRows& rows, const std::vector<SomMatch>& matches,
                             const SparseCodebook& codebook) {
  std::vector<float> distances;
  for (std::uint32_t row = 0; row < rows.rows; ++row) {
    double inside = 0;
    for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
      inside += static_cast<double>(rows.weight[i]) * rows.weight[i];
    distances.push_back(static_cast<float>(codebook.angular_distance(matches[row], inside)));
  }
  std::sort(distances.begin(), distances.end());
  constexpr std::size_t kParts = 1000;
  std::vector<float> result;
  for (std::size_t i = 0; i <= kParts; ++i)
    result.push_back(distances[(distances.size() - 1) * i / kParts]);
  return result;
}

TopicAgreement agreement_of(const Mirror& mirror, const std::vector<SomMatch>& matches,
                            const std::vector<std::uint32_t>& group) {
  std::vector<std::uint32_t> units, topics, classes;
  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    const auto own = mirror.labels.of(row);
    if (own.size() != 1) continue;
    units.push_back(matches[row].unit);
    topics.push_back(group[matches[row].unit]);
    classes.push_back(own[0]);
  }
  const Agreement by_unit = agreement(units, classes), by_topic = agreement(topics, classes);
  return {classes.size(), by_unit.purity, by_unit.mutual_information, by_topic.purity,
          by_topic.mutual_information};
}

}  // namespace kindred
