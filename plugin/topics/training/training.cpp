#include "plugin/topics/training/training.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "config/error.h"
#include "gpu/som/train.h"
#include "gpu/twins/factory.h"
#include "plugin/input/record.h"
#include "plugin/mirror/backend_options.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/training/grouping.h"
#include "plugin/topics/training/memory.h"
#include "plugin/topics/training/naming.h"
#include "plugin/topics/training/plan.h"
#include "plugin/topics/training/rows.h"
#include "plugin/topics/training/words.h"

namespace kindred {
namespace {

SomProgress told(const TopicsProgress& progress) {
  if (!progress) return {};
  return [&progress](const SomEpoch& epoch) {
    return progress({epoch.epoch, epoch.epochs, epoch.sigma, epoch.quality.quantization_error,
                     epoch.quality.topographic_error, epoch.moved});
  };
}

/// The weights of an earlier map over the columns of this one.
SomCodebook codebook_of(const TopicMap& earlier, const StringTable& terms) {
  SomCodebook codebook{earlier.codebook->units(), terms.size(), {}};
  codebook.weight.resize(std::size_t{codebook.units} * terms.size());
  for (std::uint32_t column = 0; column < terms.size(); ++column) {
    const auto known = earlier.terms->find(terms[column]);
    if (!known) continue;
    const auto units = earlier.codebook->units_of(*known);
    const auto weights = earlier.codebook->weights_of(*known);
    for (std::size_t i = 0; i < units.size(); ++i) codebook.column(column)[units[i]] = weights[i];
  }
  return codebook;
}

/// 1,001 quantiles of how far documents are from their units by angle, over all terms, of which the
/// map's are a part.
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

/// Fills units, their topics and what documents with labels say of both.
void place_documents(const SomLattice& lattice, const Mirror& mirror,
                     const std::vector<SomMatch>& matches, std::size_t count, TopicMap& map) {
  const std::vector<std::uint32_t> hits = count_hits(lattice.units(), matches);
  const auto groups = group_units(lattice, *map.codebook, hits, count);
  std::vector<std::map<std::uint32_t, std::uint32_t>> labels(lattice.units());
  std::vector<std::uint32_t> units, topics, classes;
  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    const auto own = mirror.labels.of(row);
    for (const std::uint32_t label : own) ++labels[matches[row].unit][label];
    if (own.size() != 1) continue;
    units.push_back(matches[row].unit);
    topics.push_back(groups[matches[row].unit]);
    classes.push_back(own[0]);
  }
  for (std::uint32_t u = 0; u < lattice.units(); ++u) {
    TopicUnit& unit = map.units[u];
    unit.x = lattice.x(u);
    unit.y = lattice.y(u);
    unit.topic = groups[u] + 1;
    unit.documents = hits[u];
    const auto most =
        std::max_element(labels[u].begin(), labels[u].end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != labels[u].end()) unit.label = mirror.labels.names[most->first];
  }
  map.topics.resize(1 + *std::max_element(groups.begin(), groups.end()));
  for (std::uint32_t i = 0; i < map.topics.size(); ++i) map.topics[i].number = i + 1;
  const Agreement by_unit = agreement(units, classes), by_topic = agreement(topics, classes);
  map.agreement = {classes.size(), by_unit.purity, by_unit.mutual_information, by_topic.purity,
                   by_topic.mutual_information};
}

void fill_documents(const Xapian::Database& database, const Mirror& mirror,
                    std::vector<TopicDocument>& documents) {
  for (TopicDocument& document : documents) {
    document.id = mirror.ids[*mirror.row_of(document.docid)];
    try {
      document.title = document_field(database.get_document(document.docid).get_data(), "title");
    } catch (const Xapian::DocNotFoundError&) {
      document.title.clear();  // deleted since the snapshot was made
    }
  }
}

TopicMapOrigin origin_of(const Snapshot& snapshot, const Settings& settings, const SomPlan& plan) {
  const Mirror& mirror = snapshot.mirror();
  TopicMapOrigin origin;
  origin.uuid = mirror.uuid;
  origin.revision = mirror.revision;
  origin.documents = mirror.docids.size();
  origin.prefixes = mirror.prefixes;
  origin.weighting = settings.weighting.smart;
  origin.rows = plan.lattice.rows;
  origin.columns = plan.lattice.columns;
  origin.hexagonal = plan.lattice.hexagonal;
  origin.toroidal = plan.lattice.toroidal;
  origin.seed = static_cast<std::int64_t>(plan.seed);
  origin.sigma_start = plan.schedule.sigma_start;
  origin.sigma_end = plan.schedule.sigma_end;
  origin.cut = plan.cut;
  return origin;
}

void take_terms(const Snapshot& snapshot, const TopicRows& rows, TopicMap& map) {
  auto terms = std::make_shared<StringTable>();
  for (const std::uint32_t term : rows.terms) {
    terms->push_back(snapshot.mirror().vocabulary[term]);
    map.idf.push_back(snapshot.weighting().idf[term]);
  }
  terms->index();
  map.terms = std::move(terms);
}

/// The twin that trains, if the main memory that its kind takes may be had.
std::unique_ptr<SomTwin> make_twin(const SomPlan& plan, std::uint32_t columns, bool resumed,
                                   std::int64_t memory_mb, const BackendOptions& options) {
  return make_som_twin(plan.lattice, columns, options, [&](bool on_device) {
    check_memory({plan.lattice.units(), columns, on_device, resumed}, memory_mb);
  });
}

/// Trains, and keeps of the dense codebook, which is large, what the map needs.
void train(const TopicRows& rows, const SomPlan& plan, const Settings& settings,
           const BackendOptions& options, const TopicsProgress& progress, const TopicMap* earlier,
           TopicMap& map) {
  const auto columns = static_cast<std::uint32_t>(rows.terms.size());
  auto twin = make_twin(plan, columns, earlier != nullptr, settings.topics.memory_mb, options);
  const auto partitions = rows.partitions(static_cast<std::size_t>(settings.topics.partition));
  SomCodebook warm;
  if (earlier != nullptr) warm = codebook_of(*earlier, *map.terms);
  const SomResult trained =
      train_som(*twin, partitions, plan, told(progress), earlier != nullptr ? &warm : nullptr);
  twin.reset();  // its codebooks go before the map takes its own
  map.origin.epochs = static_cast<std::uint32_t>(trained.epochs.size());
  map.codebook = std::make_shared<const SparseCodebook>(trained.codebook);
  map.units.resize(plan.lattice.units());
  const std::vector<float> heights = u_matrix(plan.lattice, trained.codebook);
  for (std::size_t u = 0; u < heights.size(); ++u) map.units[u].height = heights[u];
}

}  // namespace

std::shared_ptr<const TopicMap> train_topic_map(const Snapshot& snapshot, const Settings& settings,
                                                AnalyzerPool& analyzers,
                                                const TopicsRequest& request,
                                                const TopicsProgress& progress,
                                                const TopicMap* earlier,
                                                const WithDatabase& with_database, const Log& log) {
  const auto began = std::chrono::steady_clock::now();
  const Mirror& mirror = snapshot.mirror();
  const TopicSettings& topics = settings.topics;
  if (request.resume && earlier == nullptr)
    throw Error(Errc::kNotFound, "topics: there is no map to go on from");
  const TopicMap* base = request.resume ? earlier : nullptr;
  const SomPlan plan = topic_plan(request, topics, mirror.docids.size(), base);
  const std::size_t count = topic_count(request, topics);
  const TopicRows rows =
      topic_rows(snapshot, topics.min_df, static_cast<std::size_t>(topics.partition));
  const BackendOptions options = backend_options(settings.backend, log);
  auto map = std::make_shared<TopicMap>();
  map->origin = origin_of(snapshot, settings, plan);
  take_terms(snapshot, rows, *map);
  train(rows, plan, settings, options, progress, base, *map);

  const std::vector<SomMatch> matches = map->codebook->match(rows.view(), options.threads);
  const SomQuality quality = measure(plan.lattice, plan.neighbors, matches);
  map->quantization_error = quality.quantization_error;
  map->topographic_error = quality.topographic_error;
  map->spread = spread_of(rows.view(), matches, *map->codebook);
  place_documents(plan.lattice, mirror, matches, count, *map);
  with_database([&](const Xapian::Database& database) {
    map->words = words_of_terms(database, *map->terms, mirror.prefixes, analyzers);
  });
  describe_topics(plan.lattice, rows.view(), matches, mirror.docids, *map);
  with_database([&](const Xapian::Database& database) {
    for (Topic& topic : map->topics) fill_documents(database, mirror, topic.typical);
    for (TopicUnit& unit : map->units) fill_documents(database, mirror, unit.typical);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  map->origin.seconds = took.count();
  return map;
}

}  // namespace kindred
