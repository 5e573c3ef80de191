#include "plugin/classifier.h"

#include <algorithm>
#include <map>
#include <string>

#include "config/error.h"
#include "plugin/snapshot.h"

namespace kindred {
namespace {

/// The rows that may vote: labeled, and allowed if there is a filter.
std::vector<std::uint64_t> voters(const Mirror& mirror, const RowBits* allowed) {
  std::vector<std::uint64_t> bits = mirror.labeled;
  if (allowed != nullptr) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= (*allowed)[i];
  }
  return bits;
}

std::span<const std::uint32_t> labels_of(const Mirror& mirror, std::uint32_t row) {
  const std::uint64_t begin = mirror.labels.row_begin[row];
  return {mirror.labels.label.data() + begin, mirror.labels.row_begin[row + 1] - begin};
}

Voter make_voter(const Mirror& mirror, const Neighbor& neighbor) {
  Voter voter{
      std::string(mirror.ids[neighbor.row]), mirror.docids[neighbor.row], neighbor.similarity, {}};
  for (const std::uint32_t label : labels_of(mirror, neighbor.row)) {
    voter.labels.emplace_back(mirror.labels.names[label]);
  }
  return voter;
}

struct Share {
  std::uint32_t label;
  double confidence;
};

/// Each label's share of the summed similarities, largest first. Sums run in rank order, so that
/// they have the same bits everywhere.
std::vector<Share> shares_of(const Mirror& mirror, std::span<const Neighbor> neighbors) {
  std::map<std::uint32_t, double> sums;
  double total = 0;
  for (const Neighbor& neighbor : neighbors) {
    const double weight = neighbor.similarity;
    total += weight;
    for (const std::uint32_t label : labels_of(mirror, neighbor.row)) sums[label] += weight;
  }
  std::vector<Share> shares;
  for (const auto& [label, sum] : sums) shares.push_back({label, sum / total});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.confidence > b.confidence; });
  return shares;
}

}  // namespace

ClassifyRequest with_defaults(ClassifyRequest request, const ClassifySettings& settings) {
  if (!request.k) request.k = settings.k;
  if (!request.threshold) request.threshold = settings.threshold;
  if (!request.max_labels) request.max_labels = settings.max_labels;
  if (*request.k < 1) throw Error(Errc::kInvalidArgument, "k: expected at least 1");
  if (*request.max_labels < 1) {
    throw Error(Errc::kInvalidArgument, "max_labels: expected at least 1");
  }
  if (!(*request.threshold >= 0 && *request.threshold <= 1)) {
    throw Error(Errc::kInvalidArgument, "threshold: expected a number from 0 to 1");
  }
  return request;
}

Classification Classifier::vote(std::span<const Neighbor> neighbors,
                                const ClassifyRequest& request) const {
  const Mirror& mirror = snapshot_.mirror();
  Classification result;
  result.revision = mirror.revision;
  for (const Share& share : shares_of(mirror, neighbors)) {
    Tag tag{std::string(mirror.labels.names[share.label]), share.confidence};
    if (!result.best) result.best = tag;
    if (share.confidence < *request.threshold || std::ssize(result.tags) >= *request.max_labels) {
      break;
    }
    result.tags.push_back(std::move(tag));
  }
  if (request.neighbors) {
    for (const Neighbor& neighbor : neighbors) {
      result.neighbors.push_back(make_voter(mirror, neighbor));
    }
  }
  return result;
}

std::vector<Classification> Classifier::classify(const Queries& queries,
                                                 const ClassifyRequest& request,
                                                 std::span<const std::uint32_t> exclude,
                                                 const RowBits* allowed) const {
  const ClassifyRequest full = with_defaults(request, settings_);
  const std::vector<std::uint64_t> bits = voters(snapshot_.mirror(), allowed);
  const RowBits voting(bits);
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(*full.k),
                                       snapshot_.mirror().docids.size() + 1);
  const std::size_t asked = k + (exclude.empty() ? 0 : 1);
  const std::vector<Neighbor> found = snapshot_.backend().nearest(queries, asked, &voting);
  std::vector<Classification> results;
  std::vector<Neighbor> neighbors;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    neighbors.clear();
    for (const Neighbor& neighbor : std::span(found).subspan(q * asked, asked)) {
      if (neighbor.row == Neighbor::kNoRow || neighbors.size() == k) break;
      if (exclude.empty() || neighbor.row != exclude[q]) neighbors.push_back(neighbor);
    }
    results.push_back(vote(neighbors, full));
  }
  return results;
}

}  // namespace kindred
