#include "gpu/som/quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

using Histogram = std::map<std::uint32_t, double>;

double entropy(const Histogram& counts, double rows) {
  double sum = 0;
  for (const auto& [part, count] : counts) sum -= count / rows * std::log(count / rows);
  return sum;
}

}  // namespace

SomQuality quality_of(const SomTally& tally) {
  const auto rows = static_cast<double>(std::max<std::uint64_t>(1, tally.rows));
  return {tally.distance / rows, static_cast<double>(tally.torn) / rows};
}

SomTally tally_of(const SomLattice& lattice, std::span<const SomMatch> matches) {
  SomTally tally;
  tally.rows = matches.size();
  for (const SomMatch& match : matches) {
    tally.distance += match.distance;
    if (match.second != SomMatch::kNoUnit && !are_neighbors(lattice, match.unit, match.second))
      ++tally.torn;
  }
  return tally;
}

std::vector<std::uint32_t> count_hits(std::uint32_t units, std::span<const SomMatch> matches) {
  std::vector<std::uint32_t> hits(units);
  for (const SomMatch& match : matches) ++hits[match.unit];
  return hits;
}

std::vector<float> u_matrix(const SomLattice& lattice, const SomCodebook& codebook) {
  // The pairs of neighbors, each once, and how many neighbors each unit has.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::uint32_t> degree(codebook.units);
  for (std::uint32_t u = 0; u < codebook.units; ++u) {
    for (const std::uint32_t v : neighbors_of(lattice, u)) {
      ++degree[u];
      if (u < v) pairs.emplace_back(u, v);
    }
  }

  // Distances of all pairs grow column by column, since that is how the codebook lies in memory.
  std::vector<double> squared(pairs.size());
  for (std::uint32_t c = 0; c < codebook.columns; ++c) {
    const float* weights = codebook.column(c);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double apart = static_cast<double>(weights[pairs[p].first]) - weights[pairs[p].second];
      squared[p] += apart * apart;
    }
  }

  // A pair's distance counts for both of its units.
  std::vector<float> heights(codebook.units);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (const std::uint32_t u : {pairs[p].first, pairs[p].second})
      heights[u] += static_cast<float>(std::sqrt(squared[p]) / degree[u]);
  }
  return heights;
}

Agreement agreement(std::span<const std::uint32_t> groups, std::span<const std::uint32_t> classes) {
  if (groups.size() != classes.size())
    throw Error(Errc::kInvalidArgument, "expected one group and one class a row");

  if (groups.empty()) return {};

  // Counts the rows of each group, of each class, and of each pair of these.
  const auto rows = static_cast<double>(groups.size());
  Histogram of_group;
  Histogram of_class;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> joint;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    of_group[groups[i]] += 1;
    of_class[classes[i]] += 1;
    joint[{groups[i], classes[i]}] += 1;
  }

  // Purity takes the most frequent class of each group. The information is the sum over pairs of
  // p(g, c) ln(p(g, c) / (p(g) p(c))).
  Histogram largest;
  double information = 0;
  for (const auto& [pair, count] : joint) {
    largest[pair.first] = std::max(largest[pair.first], count);
    information +=
        count / rows * std::log(count * rows / (of_group[pair.first] * of_class[pair.second]));
  }

  // Without any entropy there is one group and one class, and these agree.
  Agreement result;
  for (const auto& [group, count] : largest) result.purity += count / rows;
  const double mean = (entropy(of_group, rows) + entropy(of_class, rows)) / 2;
  result.mutual_information = mean > 0 ? information / mean : 1;
  return result;
}

}  // namespace kindred
