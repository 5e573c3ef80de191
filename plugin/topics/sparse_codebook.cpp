#include "plugin/topics/sparse_codebook.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "config/error.h"
#include "gpu/ratio.h"
#include "gpu/workers.h"

namespace kindred {

SparseCodebook::SparseCodebook(const SomCodebook& codebook) : units_(codebook.units) {
  // A weight that adds next to nothing to the length of its unit is left out: most weights of a
  // large map are such.
  std::vector<double> least(units_);
  for (std::uint32_t c = 0; c < codebook.columns; ++c)
    for (std::uint32_t u = 0; u < units_; ++u) {
      const double weight = codebook.column(c)[u];
      least[u] += weight * weight;
    }

  for (double& bound : least) bound = kNegligible * std::sqrt(bound);

  // By column, as each_weight() reads them.
  for (std::uint32_t c = 0; c < codebook.columns; ++c) {
    for (std::uint32_t u = 0; u < units_; ++u) {
      const float weight = codebook.column(c)[u];
      if (weight == 0 || std::abs(weight) < least[u]) continue;
      unit_.push_back(u);
      weight_.push_back(weight);
    }
    column_begin_.push_back(unit_.size());
  }

  measure_norms();
}

SparseCodebook::SparseCodebook(std::uint32_t units, std::vector<std::uint64_t> column_begin,
                               std::vector<std::uint32_t> unit, std::vector<float> weight)
    : units_(units),
      column_begin_(std::move(column_begin)),
      unit_(std::move(unit)),
      weight_(std::move(weight)) {
  // The parts may come from a file. What does not fit would read beyond an array.
  const bool fits = !column_begin_.empty() && column_begin_.front() == 0 &&
                    std::is_sorted(column_begin_.begin(), column_begin_.end()) &&
                    column_begin_.back() == unit_.size() && unit_.size() == weight_.size() &&
                    std::all_of(unit_.begin(), unit_.end(), [&](std::uint32_t u) {
                      return u < units_;
                    });
  if (!fits) throw Error(Errc::kCorrupt, "the codebook's parts do not fit together");

  measure_norms();
  for (const double squared : squared_norm_)  // match() compares them as float
    if (!(squared <= std::numeric_limits<float>::max()))
      throw Error(Errc::kCorrupt, "the codebook's weights are too large, or no numbers");
}

void SparseCodebook::measure_norms() {
  squared_norm_.assign(units_, 0);
  for (std::size_t i = 0; i < unit_.size(); ++i)
    squared_norm_[unit_[i]] += static_cast<double>(weight_[i]) * weight_[i];
}

SomMatch SparseCodebook::match(std::span<const std::uint32_t> columns,
                               std::span<const float> weights) const {
  // The squared distance is |unit|^2 - 2 unit.row + |row|^2, of which the last part is the same for
  // all units.
  std::vector<float> dot(units_);
  double squared = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    each_weight(columns[i], [&](std::uint32_t u, float value) {
      dot[u] += weights[i] * value;
    });
    squared += static_cast<double>(weights[i]) * weights[i];
  }

  constexpr float kNone = std::numeric_limits<float>::infinity();

  // The lower unit wins of equals.
  std::pair<float, std::uint32_t> best = {kNone, SomMatch::kNoUnit};
  std::pair<float, std::uint32_t> second = best;
  for (std::uint32_t u = 0; u < units_; ++u) {
    const float score = static_cast<float>(squared_norm_[u]) - 2 * dot[u];
    if (score < best.first) {
      second = best;
      best = {score, u};
    } else if (score < second.first) {
      second = {score, u};
    }
  }

  // The distance itself is computed as double, for the best unit alone.
  const double apart = squared_norm_[best.second] - 2.0 * dot[best.second] + squared;
  return {best.second, second.second, std::sqrt(std::max(0.0, apart))};
}

double SparseCodebook::angular_distance(const SomMatch& match, double squared_inside) const {
  const double squared = squared_norm_[match.unit];
  if (!(squared > 0)) return 1;
  const double dot = (squared + squared_inside - match.distance * match.distance) / 2;
  return 1 - std::clamp(dot / std::sqrt(squared), 0.0, 1.0);
}

std::vector<SomMatch> SparseCodebook::match(const SomRows& rows, std::size_t threads) const {
  constexpr std::uint32_t kBlock = 256;
  std::vector<SomMatch> matches(rows.rows);
  for_each_chunk(rows.rows, kBlock, threads, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::uint64_t first = rows.row_begin[row];
      const std::uint64_t size = rows.row_begin[row + 1] - first;
      matches[row] = match({rows.column + first, size}, {rows.weight + first, size});
    }
  });
  return matches;
}

namespace {

// Topics if their number is not given, as parts of the side of a square map of as many units.
constexpr double kFewest = 0.75;
constexpr double kMost = 1.5;

/// Of so many documents, no topic shall hold more than this share, unless they are this much alike.
constexpr std::uint64_t kLarge = 1000;
constexpr double kMostOfAll = 0.1;
constexpr double kAlike = 0.5;

using ColumnWeight = std::pair<std::uint32_t, double>;  // column, weight

struct Group {
  double weight = 0;  ///< documents; 0: joined to another one
  double squared = 0;
  std::vector<ColumnWeight> mean;
  std::set<std::uint32_t> neighbors;
  std::uint32_t version = 0;
};

double dot(const std::vector<ColumnWeight>& a, const std::vector<ColumnWeight>& b) {
  // Both lists are sorted by column, so one pass over both finds what they share.
  double sum = 0;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->first == j->first) {
      sum += i->second * j->second;
      ++i;
      ++j;
    } else if (i->first < j->first) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

std::vector<ColumnWeight> mean_of(const Group& a, const Group& b) {
  // A merge of two sorted lists; a column that one of them lacks counts as 0 there.
  const double share = a.weight / (a.weight + b.weight);
  std::vector<ColumnWeight> mean;
  mean.reserve(a.mean.size() + b.mean.size());

  auto i = a.mean.begin();
  auto j = b.mean.begin();
  while (i != a.mean.end() || j != b.mean.end()) {
    if (j == b.mean.end() || (i != a.mean.end() && i->first < j->first)) {
      mean.emplace_back(i->first, share * i->second);
      ++i;
    } else if (i == a.mean.end() || j->first < i->first) {
      mean.emplace_back(j->first, (1 - share) * j->second);
      ++j;
    } else {
      mean.emplace_back(i->first, share * i->second + (1 - share) * j->second);
      ++i;
      ++j;
    }
  }
  return mean;
}

/// A possible union: cost, the two groups, and the versions for which it was computed.
using PossibleUnion =
    std::tuple<double, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct Union {
  std::uint32_t kept;
  std::uint32_t gone;
  double cost;
};

class Agglomeration {
 public:
  /// @param most documents of a group, unless these are alike
  Agglomeration(const SomLattice& lattice, const SparseCodebook& codebook,
                const std::vector<std::uint32_t>& hits, double most)
      : groups_(codebook.units()), most_(most) {
    // Ward's method over units that border on each other. A unit without documents counts as half
    // of one, so that it joins early, but does not vanish.
    for (std::uint32_t c = 0; c < codebook.columns(); ++c)
      codebook.each_weight(c, [&](auto u, float w) {
        groups_[u].mean.emplace_back(c, w);
      });

    for (std::uint32_t u = 0; u < groups_.size(); ++u) {
      Group& group = groups_[u];
      group.weight = hits[u] == 0 ? 0.5 : hits[u];
      group.squared = dot(group.mean, group.mean);
      for (const std::uint32_t v : neighbors_of(lattice, u)) group.neighbors.insert(v);
    }

    // Each pair once: a neighbor of a unit has the unit as its neighbor.
    for (std::uint32_t u = 0; u < groups_.size(); ++u)
      for (const std::uint32_t v : groups_[u].neighbors)
        if (u < v) offer(u, v);
  }

  /// All unions down to one group, or to groups that would hold too much together, in order.
  std::vector<Union> run() {
    std::vector<Union> unions;
    while (!candidates_.empty()) {
      // A group that has been joined since has another version, and its old offers are void.
      const auto [cost, a, b, version_a, version_b] = candidates_.top();
      candidates_.pop();
      if (groups_[a].version != version_a || groups_[b].version != version_b) continue;
      if (is_too_much(groups_[a], groups_[b])) continue;

      unions.push_back({a, b, cost});
      join(a, b);
    }
    return unions;
  }

 private:
  void offer(std::uint32_t a, std::uint32_t b) {
    const Group& x = groups_[a];
    const Group& y = groups_[b];

    // The cost of a union is what it adds to the sum of squared distances from the means (Ward
    // 1963).
    const double apart = std::max(0.0, x.squared + y.squared - 2 * dot(x.mean, y.mean));
    const double cost = x.weight * y.weight / (x.weight + y.weight) * apart;

    // Equal costs are ordered by the groups, so that every run makes the same unions.
    candidates_.emplace(cost, std::min(a, b), std::max(a, b), groups_[std::min(a, b)].version,
                        groups_[std::max(a, b)].version);
  }

  bool is_too_much(const Group& a, const Group& b) const {
    if (a.weight + b.weight <= most_) return false;

    // Rows have length 1, so the squared length of their mean is their mean cosine.
    const std::vector<ColumnWeight> mean = mean_of(a, b);
    return dot(mean, mean) < kAlike;
  }

  void join(std::uint32_t kept, std::uint32_t gone) {
    Group& a = groups_[kept];
    Group& b = groups_[gone];

    a.mean = mean_of(a, b);
    a.squared = dot(a.mean, a.mean);
    a.weight += b.weight;

    // Offers of both groups are void from now on.
    ++a.version;
    ++b.version;

    a.neighbors.merge(b.neighbors);
    a.neighbors.erase(kept);
    a.neighbors.erase(gone);
    b = Group{0, 0, {}, {}, b.version};

    // Who bordered on the lost group borders on the one that has taken it in.
    for (const std::uint32_t other : a.neighbors) {
      groups_[other].neighbors.erase(gone);
      groups_[other].neighbors.insert(kept);
      offer(kept, other);
    }
  }

  std::vector<Group> groups_;
  const double most_;
  std::priority_queue<PossibleUnion, std::vector<PossibleUnion>, std::greater<>> candidates_;
};

/// unions[units - 1 - n] goes from n + 1 groups to n, so unions[units - n] from n to n - 1.
std::size_t find_count(const std::vector<Union>& unions, std::size_t units) {
  // The number of topics is where the next union costs much more than the one before, within bounds
  // that people can look over.
  const double side = std::sqrt(static_cast<double>(units));
  const auto most = static_cast<std::size_t>(std::lround(kMost * side));
  std::size_t best = std::min(units, std::max<std::size_t>(1, std::lround(kFewest * side)));
  double steepest = 0;

  for (std::size_t n = best; n <= most && n < units; ++n) {
    if (n < 2) continue;
    const double before = unions[units - n - 1].cost;
    const double next = unions[units - n].cost;
    if (!(next > steepest * before)) continue;
    steepest = ratio_or_zero(next, before);
    best = n;
  }
  return best;
}

std::vector<std::uint32_t> groups_after(const std::vector<Union>& unions, std::size_t made,
                                        std::size_t units) {
  // Each unit points to one of its group; following the pointers ends at the group's root. Halving
  // the path on the way keeps it short.
  std::vector<std::uint32_t> parent(units);
  std::iota(parent.begin(), parent.end(), 0u);

  const auto root = [&](std::uint32_t u) {
    while (parent[u] != u) {
      parent[u] = parent[parent[u]];
      u = parent[u];
    }
    return u;
  };

  for (std::size_t i = 0; i < made; ++i) {
    parent[root(unions[i].gone)] = root(unions[i].kept);
  }
  for (std::uint32_t u = 0; u < units; ++u) {
    parent[u] = root(u);
  }
  return parent;
}

/// The documents of each group, by its root.
std::vector<std::uint64_t> documents_of_groups(const std::vector<std::uint32_t>& roots,
                                               const std::vector<std::uint32_t>& hits) {
  std::vector<std::uint64_t> documents(roots.size());
  for (std::size_t u = 0; u < roots.size(); ++u) {
    documents[roots[u]] += hits[u];
  }
  return documents;
}

/// The root of each unit's group. `count`: as group_units() takes it.
std::vector<std::uint32_t> roots_of_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                          const std::vector<std::uint32_t>& hits,
                                          std::size_t count) {
  // All unions are made once; a number of groups is an index in their order.
  const std::size_t units = codebook.units();
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const std::vector<Union> unions = Agglomeration(lattice, codebook, hits, kAny).run();
  const std::size_t made = units - std::min(units, count == 0 ? find_count(unions, units) : count);
  std::vector<std::uint32_t> roots = groups_after(unions, made, units);

  // What is asked for, and what is in a small collection, may hold any number.
  const auto all = std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
  const double most = kMostOfAll * static_cast<double>(all);
  const auto largest = std::ranges::max(documents_of_groups(roots, hits));
  const bool has_no_limit = count > 0 || made == 0 || all < kLarge;
  if (has_no_limit || static_cast<double>(largest) <= most) return roots;

  // With a limit, unions are made as long as they cost no more than those that were made without.
  const auto cost_of = [](const Union& each) {
    return each.cost;
  };
  const double highest = std::ranges::max(std::span(unions).first(made), {}, cost_of).cost;
  const std::vector<Union> limited = Agglomeration(lattice, codebook, hits, most).run();
  const auto beyond = std::ranges::find_if(limited, [&](const Union& each) {
    return each.cost > highest;
  });
  return groups_after(limited, static_cast<std::size_t>(beyond - limited.begin()), units);
}

}  // namespace

std::vector<std::uint32_t> group_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                       const std::vector<std::uint32_t>& hits, std::size_t count) {
  const std::vector<std::uint32_t> roots = roots_of_units(lattice, codebook, hits, count);
  const std::size_t units = roots.size();

  // Topics are numbered by their documents, the largest first.
  const std::vector<std::uint64_t> documents = documents_of_groups(roots, hits);
  std::vector<std::uint32_t> order;
  for (std::uint32_t u = 0; u < units; ++u)
    if (roots[u] == u) order.push_back(u);
  const auto documents_of = [&](std::uint32_t root) {
    return documents[root];
  };
  std::ranges::stable_sort(order, std::greater(), documents_of);

  std::vector<std::uint32_t> number(units);
  std::vector<std::uint32_t> groups(units);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
  }
  for (std::uint32_t u = 0; u < units; ++u) {
    groups[u] = number[roots[u]];
  }
  return groups;
}

}  // namespace kindred
