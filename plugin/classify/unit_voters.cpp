#include "plugin/classify/unit_voters.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kindred {
namespace {

/// How many standard deviations away voters still count. Beyond, their weight is below 1.2 %.
constexpr double kReach = 3;

}  // namespace

UnitVoters::UnitVoters(const Mirror& mirror, std::shared_ptr<const TopicMap> map,
                       std::size_t threads)
    : map_(std::move(map)),
      placer_(mirror, *map_),
      lattice_{map_->origin.rows, map_->origin.columns, map_->origin.hexagonal,
               map_->origin.toroidal},
      unit_(mirror.rows(), SomMatch::kNoUnit),
      begin_(lattice_.units() + std::size_t{1}) {
  const std::vector<std::uint32_t> labeled = mirror.labeled.to_vector();
  const std::vector<TopicPlacement> places = placer_.place(labeled, threads);
  for (std::size_t i = 0; i < labeled.size(); ++i) {
    const std::uint32_t unit = kindred::unit_of(places[i]);
    unit_[labeled[i]] = unit;
    if (unit != SomMatch::kNoUnit) ++begin_[unit + std::size_t{1}];
  }
  for (std::uint32_t u = 0; u < lattice_.units(); ++u) begin_[u + 1] += begin_[u];
  row_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const std::uint32_t row : labeled)
    if (unit_[row] != SomMatch::kNoUnit) row_[next[unit_[row]]++] = row;
}

std::size_t UnitVoters::bytes() const {
  return (unit_.capacity() + begin_.capacity() + row_.capacity()) * sizeof(std::uint32_t) +
         placer_.bytes();
}

std::uint32_t UnitVoters::unit_of(std::uint32_t row) const {
  return unit_[row] != SomMatch::kNoUnit ? unit_[row] : kindred::unit_of(placer_.place(row));
}

std::vector<UnitVoter> UnitVoters::near(std::uint32_t unit, const RowSet& voters,
                                        std::uint32_t excluded) const {
  if (unit == SomMatch::kNoUnit) return {};
  const SomNeighborhood neighborhood{map_->origin.sigma_end};
  const double reach = kReach * neighborhood.sigma;
  const std::uint32_t columns = lattice_.columns;
  std::vector<UnitVoter> found;
  for (std::uint32_t other = 0; other < lattice_.rows; ++other) {
    const double down = lattice_.row_distance(unit / columns, other);
    if (down > reach) continue;
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::uint32_t v = other * columns + column;
      if (begin_[v] == begin_[v + 1]) continue;
      const double squared = lattice_.squared_distance(unit, v);
      if (squared > reach * reach) continue;
      const double h = std::exp(-squared / (2 * neighborhood.sigma * neighborhood.sigma));
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) {
        if (row_[i] == excluded || !voters.has(row_[i])) continue;
        found.push_back({row_[i], h});
      }
    }
  }
  std::ranges::sort(found, {}, &UnitVoter::row);
  return found;
}

std::uint32_t unit_of(const TopicPlacement& place) {
  return place.topic == 0 ? SomMatch::kNoUnit : place.unit;
}

double total_weight(std::span<const UnitVoter> near) {
  double total = 0;
  for (const UnitVoter& voter : near) total += voter.weight;
  return total;
}

void count_shares(std::span<const UnitVoter> near, const RowLabels& labels,
                  std::span<double> scores) {
  for (const UnitVoter& voter : near)
    for (const std::uint32_t label : labels.of(voter.row)) scores[label] += voter.weight;
  // Adds the same weights in the same order, so a label that all voters have gets exactly 1.
  const double total = total_weight(near);
  if (!(total > 0)) return;
  for (double& score : scores) score /= total;
}

std::shared_ptr<const UnitVoters> UnitVotersCache::get(
    const std::shared_ptr<const Snapshot>& snapshot, const std::shared_ptr<const TopicMap>& map) {
  const std::lock_guard lock(mutex_);
  if (voters_ != nullptr && snapshot_.lock() == snapshot && map_.lock() == map) return voters_;
  voters_ = nullptr;
  voters_ =
      std::make_shared<const UnitVoters>(snapshot->mirror(), map, snapshot->voting().threads());
  snapshot_ = snapshot;
  map_ = map;
  return voters_;
}

std::size_t UnitVotersCache::bytes(const std::shared_ptr<const Snapshot>& snapshot) const {
  const std::lock_guard lock(mutex_);
  return voters_ != nullptr && snapshot_.lock() == snapshot ? voters_->bytes() : 0;
}

}  // namespace kindred
