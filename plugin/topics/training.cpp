#include "plugin/topics/training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/som/lattice.h"
#include "gpu/som/quality.h"
#include "plugin/documents/stem_words.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/naming.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/units.h"

namespace kindred {
namespace {

std::int64_t in_range(std::int64_t value, std::int64_t low, std::int64_t high, const char* name) {
  if (value >= low && value <= high) return value;
  throw Error(Errc::kInvalidArgument, std::string("topics: ") + name + " is " +
                                          std::to_string(value) + "; expected " +
                                          std::to_string(low) + " to " + std::to_string(high));
}

std::uint32_t usual_side(std::size_t documents) {
  const double side = std::sqrt(5 * std::sqrt(static_cast<double>(documents)));
  return static_cast<std::uint32_t>(std::clamp(std::ceil(side), 2.0, 50.0));
}

SomStart start_of(const std::string& name) {
  if (name == "plane") return SomStart::kPrincipalPlane;
  if (name == "documents") return SomStart::kDocuments;
  if (name == "uniform") return SomStart::kUniform;
  throw Error(Errc::kInvalidArgument,
              "topics: start is '" + shortened(name) + "'; expected plane, documents or uniform");
}

bool is_hexagonal(const std::string& lattice) {
  if (lattice == "hexagonal" || lattice == "rectangular") return lattice == "hexagonal";
  throw Error(Errc::kInvalidArgument,
              "topics: lattice is '" + lattice + "'; expected hexagonal or rectangular");
}

/// The complete plan of a request. A side that it does not set comes from the number of documents
/// (about 5 sqrt(documents) units: Vesanto and Alhoniemi 2000, at most 50 per side). The plan of a
/// map that is resumed keeps its lattice. `earlier` is that map, or null.
/// @throws Error kInvalidArgument that names what is out of range.
SomPlan topic_plan(const TrainTopicsRequest& request, std::size_t documents,
                   const TopicMap* earlier) {
  constexpr std::int64_t kMostSide = 1000;
  SomPlan plan;

  const auto side = [&](std::optional<std::int64_t> asked, const char* name) {
    return asked ? static_cast<std::uint32_t>(in_range(*asked, 1, kMostSide, name))
                 : usual_side(documents);
  };

  // On a hexagonal torus an odd number of rows would not meet itself: every second row is shifted.
  plan.lattice = {side(request.rows, "rows"), side(request.columns, "columns"),
                  is_hexagonal(request.lattice), request.toroidal};
  if (plan.lattice.hexagonal && plan.lattice.toroidal && !request.rows)
    plan.lattice.rows += plan.lattice.rows % 2;

  if (earlier != nullptr) {
    const TopicMapOrigin& origin = earlier->origin;
    plan.lattice = {origin.rows, origin.columns, origin.hexagonal, origin.toroidal};
  }

  plan.schedule.epochs = static_cast<std::uint32_t>(in_range(request.epochs, 1, 1000000, "epochs"));

  // The map that is there is to be refined, not unfolded again.
  if (earlier != nullptr) plan.schedule.sigma_start = plan.schedule.sigma_end;
  plan.schedule = resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns);
  plan.start = start_of(request.start);
  plan.seed = static_cast<std::uint64_t>(in_range(request.seed, 0, INT64_MAX, "seed"));

  return plan;
}

/// 1,001 quantiles of the distance by angle between documents and their units, over all terms and
/// not only those of the map. `matches`: one per row.
std::vector<float> spread_of(const SomRows& rows, const std::vector<SomMatch>& matches,
                             const SparseCodebook& codebook) {
  std::vector<float> distances;
  for (std::uint32_t row = 0; row < rows.rows; ++row) {
    double inside = 0;
    rows.each_entry(row, [&](auto, double weight) {
      inside += weight * weight;
    });
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
/// `matches`: one for each of `docids`; `group`: the topic of each unit.
TopicAgreement agreement_of(const Mirror& mirror, const std::vector<Xapian::docid>& docids,
                            const std::vector<SomMatch>& matches,
                            const std::vector<std::uint32_t>& group) {
  // Labels are numbered by name, so that the numbers do not depend on the order in which the index
  // has them.
  const std::vector<std::uint32_t> rank = mirror.labels.ranks();
  std::vector<std::uint32_t> units;
  std::vector<std::uint32_t> topics;
  std::vector<std::uint32_t> classes;

  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    const auto own = mirror.labels_of(docids[row]);
    if (own.size() != 1) continue;
    units.push_back(matches[row].unit);
    topics.push_back(group[matches[row].unit]);
    classes.push_back(rank[own[0]]);
  }

  const Agreement by_unit = agreement(units, classes);
  const Agreement by_topic = agreement(topics, classes);
  return {classes.size(), by_unit.purity, by_unit.mutual_information, by_topic.purity,
          by_topic.mutual_information};
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

/// Fills in what people see of a map.
void name_map(const TopicTraining& training, const SomPlan& plan, const TrainedUnits& trained,
              const TopicRows& rows, const std::vector<std::uint32_t>& hits,
              const std::vector<std::uint32_t>& group, TopicMap& map) {
  // Terms are stems with prefixes; people are shown words.
  const Mirror& mirror = training.snapshot.mirror();
  std::vector<std::string> terms;
  for (std::uint32_t i = 0; i < map.terms->size(); ++i) {
    terms.emplace_back((*map.terms)[i]);
  }
  training.with_database([&](const Xapian::Database& database) {
    map.words = words_of_terms(database, terms, mirror.prefixes, training.analyzers,
                               training.snapshot.words());
  });

  const GroupedMap grouped{mirror, plan.lattice, *trained.codebook, *map.terms,  map.words,
                           group,  hits,         rows.view(),       rows.docids, trained.matches};
  map.topics = describe_topics(grouped);
  map.units = describe_units(grouped, trained.heights);
}

}  // namespace

std::shared_ptr<const TopicMap> train_topic_map(const TopicTraining& training) {
  const auto began = std::chrono::steady_clock::now();
  const Snapshot& snapshot = training.snapshot;
  const Mirror& mirror = snapshot.mirror();

  // Faults are found before the training, and those between processes before they wait for each
  // other.
  const TopicMap* base = training.request.resume ? training.earlier : nullptr;
  if (training.request.resume && base == nullptr)
    throw Error(Errc::kNotFound, "topics: there is no map to go on from");
  check_agreement(training, base);

  const SomPlan plan = topic_plan(training.request, mirror.documents(), base);
  const std::int64_t count = in_range(training.request.topics, 0, 1000000, "topics");
  const TopicRows rows = topic_rows(snapshot, training.settings.topics.min_df);
  const BackendOptions options = backend_options(training.settings.backend, training.log);

  // The columns of the map, with the weights that its documents have in this index.
  auto map = std::make_shared<TopicMap>();
  auto terms = std::make_shared<StringTable>();
  for (const std::uint32_t term : rows.terms) {
    terms->push_back(mirror.dictionary[term]);
    map->idf.push_back(snapshot.weighting().idf[term]);
  }
  terms->index();
  map->terms = std::move(terms);

  // All processes train; the first alone makes a map of it.
  const TrainedUnits trained = train_units(training, plan, rows, *map->terms, base, options);
  if (training.others != nullptr && training.others->rank() != 0) return nullptr;

  const std::vector<SomMatch>& matches = trained.matches;
  const SomQuality quality = quality_of(tally_of(plan.lattice, matches));
  map->quantization_error = quality.quantization_error;
  map->topographic_error = quality.topographic_error;
  map->codebook = trained.codebook;

  const std::vector<std::uint32_t> hits = count_hits(plan.lattice.units(), matches);
  const auto group =
      group_units(plan.lattice, *trained.codebook, hits, static_cast<std::size_t>(count));
  map->agreement = agreement_of(mirror, rows.docids, matches, group);
  name_map(training, plan, trained, rows, hits, group, *map);

  map->spread = spread_of(rows.view(), matches, *trained.codebook);

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  map->origin = origin_of(snapshot, training.settings, plan, trained.epochs, took.count());
  return map;
}

}  // namespace kindred
