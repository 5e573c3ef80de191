#include "plugin/topics/training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/som/lattice.h"
#include "gpu/som/quality.h"
#include "gpu/som/rows.h"
#include "gpu/som/train.h"
#include "gpu/som/twin.h"
#include "plugin/answers.h"
#include "plugin/documents/features.h"
#include "plugin/input/document_data.h"
#include "plugin/mirror/mirror.h"
#include "plugin/snapshot/view.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/naming.h"
#include "plugin/topics/plan.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/units.h"

namespace kindred {
namespace {

// Topics if their number is not given, as parts of the side of a square map of as many units.
constexpr double kFewest = 0.75, kMost = 1.5;

using ColumnWeight = std::pair<std::uint32_t, double>;  // column, weight

struct Group {
  double weight = 0;  ///< documents; 0: joined to another one
  double squared = 0;
  std::vector<ColumnWeight> mean;
  std::set<std::uint32_t> neighbors;
  std::uint32_t version = 0;
};

double dot(const std::vector<ColumnWeight>& a, const std::vector<ColumnWeight>& b) {
  double sum = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first == j->first) {
      sum += i++->second * j++->second;
    } else {
      (i->first < j->first ? i : j)++;
    }
  }
  return sum;
}

std::vector<ColumnWeight> mean_of(const Group& a, const Group& b) {
  const double share = a.weight / (a.weight + b.weight);
  std::vector<ColumnWeight> mean;
  mean.reserve(a.mean.size() + b.mean.size());
  auto i = a.mean.begin(), j = b.mean.begin();
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
  std::uint32_t kept, gone;
  double cost;
};

class Agglomeration {
 public:
  Agglomeration(const SomLattice& lattice, const SparseCodebook& codebook,
                const std::vector<std::uint32_t>& hits)
      : groups_(codebook.units()) {
    for (std::uint32_t c = 0; c < codebook.columns(); ++c)
      codebook.each_weight(c, [&](auto u, float w) { groups_[u].mean.emplace_back(c, w); });
    for (std::uint32_t u = 0; u < groups_.size(); ++u) {
      Group& group = groups_[u];
      group.weight = hits[u] == 0 ? 0.5 : hits[u];
      group.squared = dot(group.mean, group.mean);
      for (const std::uint32_t v : neighbors_of(lattice, u)) group.neighbors.insert(v);
    }
    for (std::uint32_t u = 0; u < groups_.size(); ++u)
      for (const std::uint32_t v : groups_[u].neighbors)
        if (u < v) offer(u, v);
  }

  /// All unions down to one group, in order.
  std::vector<Union> run() {
    std::vector<Union> unions;
    while (!candidates_.empty()) {
      const auto [cost, a, b, version_a, version_b] = candidates_.top();
      candidates_.pop();
      if (groups_[a].version != version_a || groups_[b].version != version_b) continue;
      unions.push_back({a, b, cost});
      join(a, b);
    }
    return unions;
  }

 private:
  void offer(std::uint32_t a, std::uint32_t b) {
    const Group &x = groups_[a], &y = groups_[b];
    const double apart = std::max(0.0, x.squared + y.squared - 2 * dot(x.mean, y.mean));
    const double cost = x.weight * y.weight / (x.weight + y.weight) * apart;
    candidates_.emplace(cost, std::min(a, b), std::max(a, b), groups_[std::min(a, b)].version,
                        groups_[std::max(a, b)].version);
  }

  void join(std::uint32_t kept, std::uint32_t gone) {
    Group &a = groups_[kept], &b = groups_[gone];
    a.mean = mean_of(a, b);
    a.squared = dot(a.mean, a.mean);
    a.weight += b.weight;
    ++a.version;
    ++b.version;
    a.neighbors.merge(b.neighbors);
    a.neighbors.erase(kept);
    a.neighbors.erase(gone);
    b = Group{0, 0, {}, {}, b.version};
    for (const std::uint32_t other : a.neighbors) {
      groups_[other].neighbors.erase(gone);
      groups_[other].neighbors.insert(kept);
      offer(kept, other);
    }
  }

  std::vector<Group> groups_;
  std::priority_queue<PossibleUnion, std::vector<PossibleUnion>, std::greater<>> candidates_;
};

/// unions[units - 1 - n] goes from n + 1 groups to n, so unions[units - n] from n to n - 1.
std::size_t find_count(const std::vector<Union>& unions, std::size_t units) {
  const double side = std::sqrt(static_cast<double>(units));
  const auto most = static_cast<std::size_t>(std::lround(kMost * side));
  std::size_t best = std::min(units, std::max<std::size_t>(1, std::lround(kFewest * side)));
  double steepest = 0;
  for (std::size_t n = best; n <= most && n < units; ++n) {
    if (n < 2) continue;
    const double before = unions[units - n - 1].cost, next = unions[units - n].cost;
    if (!(next > steepest * before)) continue;
    steepest = before > 0 ? next / before : 0;
    best = n;
  }
  return best;
}

std::vector<std::uint32_t> groups_after(const std::vector<Union>& unions, std::size_t made,
                                        std::size_t units) {
  std::vector<std::uint32_t> parent(units);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t u) {
    while (parent[u] != u) u = parent[u] = parent[parent[u]];
    return u;
  };
  for (std::size_t i = 0; i < made; ++i) parent[root(unions[i].gone)] = root(unions[i].kept);
  for (std::uint32_t u = 0; u < units; ++u) parent[u] = root(u);
  return parent;
}

/// Joins units to groups that are connected on the lattice. Each step joins the two neighboring
/// groups whose union raises the sum of squares least (Ward 1963),
///
///     w_a w_b / (w_a + w_b) |a - b|^2
///
/// with w the documents of a group (an empty unit weighs as half a document). Deterministic.
/// @param count how many groups; 0: the number at which the cost of one more union is largest, as a
/// ratio to the cost of the union before. Numbers from 3/4 to 3/2 of the square root of the number
/// of units are looked at, so a topic of a map with n units has about sqrt(n) of them.
/// @return the group of each unit, from 0, the group with most documents first.
std::vector<std::uint32_t> group_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                       const std::vector<std::uint32_t>& hits, std::size_t count) {
  const std::size_t units = codebook.units();
  const std::vector<Union> unions = Agglomeration(lattice, codebook, hits).run();
  const std::size_t wanted = std::min(units, count != 0 ? count : find_count(unions, units));
  const std::vector<std::uint32_t> roots = groups_after(unions, units - wanted, units);
  std::vector<std::uint64_t> documents(units);
  for (std::uint32_t u = 0; u < units; ++u) documents[roots[u]] += hits[u];
  std::vector<std::uint32_t> order;
  for (std::uint32_t u = 0; u < units; ++u)
    if (roots[u] == u) order.push_back(u);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return documents[a] > documents[b]; });
  std::vector<std::uint32_t> number(units), groups(units);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  for (std::uint32_t u = 0; u < units; ++u) groups[u] = number[roots[u]];
  return groups;
}

/// 1,001 quantiles of the distance by angle between documents and their units, over all terms and
/// not only those of the map. `matches`: one per row.
std::vector<float> spread_of(const SomRows& rows, const std::vector<SomMatch>& matches,
                             const SparseCodebook& codebook) {
  std::vector<float> distances;
  for (std::uint32_t row = 0; row < rows.rows; ++row) {
    double inside = 0;
    rows.each_entry(row, [&](auto, double weight) { inside += weight * weight; });
    distances.push_back(static_cast<float>(codebook.angular_distance(matches[row], inside)));
  }
  std::sort(distances.begin(), distances.end());
  constexpr std::size_t kParts = 1000;
  std::vector<float> result;
  for (std::size_t i = 0; i <= kParts; ++i)
    result.push_back(distances[(distances.size() - 1) * i / kParts]);
  return result;
}

/// How well units and topics agree with labels, over the documents with exactly one label.
/// `matches`: one per row of the mirror; `group`: the topic of each unit.
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

/// Titles stay "" for documents that were deleted since the snapshot was made.
void fill_titles(const Xapian::Database& database, const IndexSettings& settings,
                 std::vector<TopicDocument>& documents) {
  for (TopicDocument& each : documents) {
    try {
      each.title = document_heading(database.get_document(each.docid), settings);
    } catch (const Xapian::DocNotFoundError&) {
    }
  }
}

/// `epochs`: how many were trained; `seconds`: how long that took.
TopicMapOrigin origin_of(const Snapshot& snapshot, const Settings& settings, const SomPlan& plan,
                         std::uint32_t epochs, double seconds) {
  const Mirror& mirror = snapshot.mirror();
  return {.uuid = mirror.uuid,
          .revision = mirror.revision,
          .documents = mirror.documents(),
          .prefixes = mirror.prefixes,
          .weighting = settings.weighting.smart,
          .rows = plan.lattice.rows,
          .columns = plan.lattice.columns,
          .hexagonal = plan.lattice.hexagonal,
          .toroidal = plan.lattice.toroidal,
          .seed = static_cast<std::int64_t>(plan.seed),
          .epochs = epochs,
          .sigma_start = plan.schedule.sigma_start,
          .sigma_end = plan.schedule.sigma_end,
          .cut = plan.cut,
          .seconds = seconds};
}

/// The map to resume, or null.
const TopicMap* base_of(const TopicTraining& training) {
  if (!training.request.resume) return nullptr;
  if (training.earlier == nullptr)
    throw Error(Errc::kNotFound, "topics: there is no map to go on from");
  return training.earlier;
}

/// Fills in what people see of a map.
void name_map(const TopicTraining& training, const SomPlan& plan, const TrainedUnits& trained,
              const TopicRows& rows, const std::vector<std::uint32_t>& hits,
              const std::vector<std::uint32_t>& group, TopicMap& map) {
  const Mirror& mirror = training.snapshot.mirror();
  std::vector<std::string> terms;
  for (std::uint32_t i = 0; i < map.terms->size(); ++i) terms.emplace_back((*map.terms)[i]);
  training.with_database([&](const Xapian::Database& database) {
    map.words = words_of_terms(database, terms, mirror.prefixes, training.analyzers);
  });
  const GroupedMap grouped{mirror, plan.lattice, *trained.codebook, *map.terms,     map.words,
                           group,  hits,         rows.view(),       trained.matches};
  map.topics = describe_topics(grouped);
  map.units = describe_units(grouped, trained.heights);
  training.with_database([&](const Xapian::Database& database) {
    for (Topic& topic : map.topics) fill_titles(database, training.settings.index, topic.typical);
    for (TopicUnit& unit : map.units) fill_titles(database, training.settings.index, unit.typical);
  });
}

}  // namespace

std::shared_ptr<const TopicMap> train_topic_map(const TopicTraining& training) {
  const auto began = std::chrono::steady_clock::now();
  const Snapshot& snapshot = training.snapshot;
  const Mirror& mirror = snapshot.mirror();
  const TopicMap* base = base_of(training);
  check_agreement(training, base);
  const SomPlan plan = topic_plan(training.request, mirror.documents(), base);
  const std::size_t count = topic_count(training.request);
  const TopicRows rows = topic_rows(snapshot, training.settings.topics.min_df);
  const BackendOptions options = backend_options(training.settings.backend, training.log);
  auto map = std::make_shared<TopicMap>();
  auto terms = std::make_shared<StringTable>();
  for (const std::uint32_t term : rows.terms) {
    terms->push_back(mirror.vocabulary[term]);
    map->idf.push_back(snapshot.weighting().idf[term]);
  }
  terms->index();
  map->terms = std::move(terms);
  const TrainedUnits trained = train_units(training, plan, rows, *map->terms, base, options);
  if (training.others != nullptr && training.others->rank() != 0) return nullptr;

  const std::vector<SomMatch>& matches = trained.matches;
  const SomQuality quality = quality_of(tally_of(plan.lattice, matches));
  map->quantization_error = quality.quantization_error;
  map->topographic_error = quality.topographic_error;
  map->codebook = trained.codebook;
  const std::vector<std::uint32_t> hits = count_hits(plan.lattice.units(), matches);
  const auto group = group_units(plan.lattice, *trained.codebook, hits, count);
  map->agreement = agreement_of(mirror, matches, group);
  name_map(training, plan, trained, rows, hits, group, *map);
  map->spread = spread_of(rows.view(), matches, *trained.codebook);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  map->origin = origin_of(snapshot, training.settings, plan, trained.epochs, took.count());
  return map;
}

}  // namespace kindred
