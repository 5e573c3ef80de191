#include "plugin/classify/unit_voters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gpu/som/neighborhood.h"

namespace kindred {
namespace {

/// How many standard deviations away voters still count. Beyond, their weight is below 1.2 %.
constexpr double kReach = 3;

}  // namespace

UnitVoters::UnitVoters(const Mirror& mirror, std::shared_ptr<const TopicMap> map,
                       std::size_t threads)
    : map_(std::move(map)),
      mirror_(mirror.list),
      placer_(mirror, *map_),
      lattice_{map_->origin.rows, map_->origin.columns, map_->origin.hexagonal,
               map_->origin.toroidal},
      unit_(mirror_->places(), SomMatch::kNoUnit),
      documents_(lattice_.units()) {
  // Labeled documents alone can vote, so only they are placed here.
  const std::vector<Xapian::docid> labeled = mirror.labeled.numbers();
  const std::vector<TopicPlacement> places = placer_.place(labeled, threads);
  for (std::size_t i = 0; i < labeled.size(); ++i) {
    const std::uint32_t unit = kindred::unit_of(places[i]);
    unit_[mirror_->place_of(labeled[i])] = unit;
    if (unit != SomMatch::kNoUnit) documents_[unit].push_back(labeled[i]);
  }
}

std::size_t UnitVoters::bytes() const {
  std::size_t bytes = placer_.bytes() + bytes_of(unit_) + bytes_of(documents_);
  for (const auto& in_unit : documents_) bytes += bytes_of(in_unit);
  return bytes;
}

std::uint32_t UnitVoters::unit_of(Xapian::docid docid) const {
  const std::uint32_t known = unit_[mirror_->place_of(docid)];
  if (known != SomMatch::kNoUnit) return known;
  return kindred::unit_of(placer_.place(docid));
}

std::vector<UnitVoter> UnitVoters::near(std::uint32_t unit, const DocumentSet& voters,
                                        Xapian::docid excluded) const {
  if (unit == SomMatch::kNoUnit) return {};

  // The weight of a voter falls with the distance of its unit, as in the last epoch of the
  // training. Rows that are out of reach are passed over at once.
  const SomNeighborhood neighborhood{map_->origin.sigma_end};
  const double reach = kReach * neighborhood.sigma;
  const std::uint32_t columns = lattice_.columns;

  std::vector<UnitVoter> found;
  for (std::uint32_t other = 0; other < lattice_.rows; ++other) {
    const double down = lattice_.row_distance(unit / columns, other);
    if (down > reach) continue;
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::uint32_t v = other * columns + column;
      if (documents_[v].empty()) continue;

      const double squared = lattice_.squared_distance(unit, v);
      if (squared > reach * reach) continue;
      const double h = std::exp(-squared / (2 * neighborhood.sigma * neighborhood.sigma));
      for (const Xapian::docid docid : documents_[v])
        if (docid != excluded && voters.has(docid)) found.push_back({docid, h});
    }
  }

  // The caller looks them up by docid.
  std::ranges::sort(found, {}, &UnitVoter::docid);
  return found;
}

std::uint32_t unit_of(const TopicPlacement& place) {
  if (place.topic == 0) return SomMatch::kNoUnit;
  return place.unit;
}

double total_weight(std::span<const UnitVoter> near) {
  double total = 0;
  for (const UnitVoter& voter : near) total += voter.weight;
  return total;
}

std::vector<LabelScore> shares_of(std::span<const UnitVoter> near, const SegmentList& mirror) {
  std::map<std::uint32_t, double> weights;  // of each label
  for (const UnitVoter& voter : near)
    for (const std::uint32_t label : mirror.labels_of(voter.docid)) weights[label] += voter.weight;

  // Adds the same weights in the same order, so a label that all voters have gets exactly 1.
  const double total = total_weight(near);
  std::vector<LabelScore> shares;
  shares.reserve(weights.size());
  for (const auto& [label, weight] : weights) shares.push_back({label, weight / total});
  return shares;
}

}  // namespace kindred
