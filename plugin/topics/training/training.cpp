#include "plugin/topics/training/training.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/som/train.h"
#include "plugin/mirror/backend_options.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/profile/title.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/training/assembly.h"
#include "plugin/topics/training/grouping.h"
#include "plugin/topics/training/measures.h"
#include "plugin/topics/training/naming.h"
#include "plugin/topics/training/plan.h"
#include "plugin/topics/training/rows.h"
#include "plugin/topics/training/sharing.h"
#include "plugin/topics/training/units.h"
#include "plugin/topics/training/words.h"

namespace kindred {
namespace {

TopicDocument document_of(const Xapian::Database& database, const Mirror& mirror,
                          const IndexSettings& settings, const NearRow& near) {
  const Xapian::docid docid = mirror.docids[near.row];
  std::string title;
  try {
    title = document_title(database.get_document(docid), settings);
  } catch (const Xapian::DocNotFoundError&) {  // deleted since the snapshot was made
  }
  return {docid, std::string(mirror.ids[near.row]), std::move(title), near.similarity};
}

/// `epochs`: how many were trained; `seconds`: how long that took.
TopicMapOrigin origin_of(const Snapshot& snapshot, const Settings& settings, const SomPlan& plan,
                         std::uint32_t epochs, double seconds) {
  const Mirror& mirror = snapshot.mirror();
  TopicMapOrigin origin;
  origin.uuid = mirror.uuid;
  origin.revision = mirror.revision;
  origin.documents = mirror.documents();
  origin.prefixes = mirror.prefixes;
  origin.weighting = settings.weighting.smart;
  origin.rows = plan.lattice.rows;
  origin.columns = plan.lattice.columns;
  origin.hexagonal = plan.lattice.hexagonal;
  origin.toroidal = plan.lattice.toroidal;
  origin.seed = static_cast<std::int64_t>(plan.seed);
  origin.epochs = epochs;
  origin.sigma_start = plan.schedule.sigma_start;
  origin.sigma_end = plan.schedule.sigma_end;
  origin.cut = plan.cut;
  origin.seconds = seconds;
  return origin;
}

/// The terms of a map's columns, and their weights.
struct MapTerms {
  std::shared_ptr<const StringTable> terms;
  std::vector<double> idf;
};

MapTerms terms_of(const Snapshot& snapshot, const TopicRows& rows) {
  auto terms = std::make_shared<StringTable>();
  std::vector<double> idf;
  for (const std::uint32_t term : rows.terms) {
    terms->push_back(snapshot.mirror().vocabulary[term]);
    idf.push_back(snapshot.weighting().idf[term]);
  }
  terms->index();
  return {std::move(terms), std::move(idf)};
}

/// The map to resume, or null.
const TopicMap* base_of(const TopicTraining& training) {
  if (!training.request.resume) return nullptr;
  if (training.earlier == nullptr)
    throw Error(Errc::kNotFound, "topics: there is no map to go on from");
  return training.earlier;
}

/// What all processes that train a map must have in common.
SharedFacts facts_of(const TopicTraining& training, const TopicMap* base) {
  const Mirror& mirror = training.snapshot.mirror();
  Settings used = training.settings;
  used.backend = {};  // every backend finds the same
  SharedFacts facts = {{"UUID of the index", mirror.uuid},
                       {"revision of the index", revision_text(mirror)},
                       {"documents of the index", std::to_string(mirror.docids.size())},
                       {"settings", settings_text(used)}};
  std::ranges::move(facts_of(training.request, base), std::back_inserter(facts));
  return facts;
}

/// What people see of a map.
struct NamedMap {
  std::vector<std::string> words;  // [columns]
  std::vector<Topic> topics;
  std::vector<TopicUnit> units;
};

/// `hits`: documents of each unit; `group`: the topic of each unit.
NamedMap name_map(const TopicTraining& training, const SomPlan& plan, const TrainedUnits& trained,
                  const StringTable& terms, const TopicRows& rows,
                  const std::vector<std::uint32_t>& hits, const std::vector<std::uint32_t>& group) {
  const Mirror& mirror = training.snapshot.mirror();
  NamedMap named;
  training.with_database([&](const Xapian::Database& database) {
    named.words = words_of_terms(database, terms, mirror.prefixes, training.analyzers);
  });
  const GroupedMap grouped{plan.lattice, *trained.codebook, terms,          named.words,
                           group,        rows.view(),       trained.matches};
  const std::vector<TopicDescription> descriptions = describe_topics(grouped);
  const UnitParts parts{hits, trained.heights,
                        labels_of_units(plan.lattice.units(), mirror, trained.matches),
                        describe_units(grouped)};
  training.with_database([&](const Xapian::Database& database) {
    const auto document = [&](const NearRow& near) {
      return document_of(database, mirror, training.settings.index, near);
    };
    named.topics = make_topics(grouped, hits, descriptions, document);
    named.units = make_units(grouped, parts, document);
  });
  return named;
}

}  // namespace

std::shared_ptr<const TopicMap> train_topic_map(const TopicTraining& training) {
  const auto began = std::chrono::steady_clock::now();
  const Snapshot& snapshot = training.snapshot;
  const Mirror& mirror = snapshot.mirror();
  const TopicSettings& settings = training.settings.topics;
  const TopicMap* base = base_of(training);
  check_agreement(training.others, facts_of(training, base));
  const SomPlan plan = topic_plan(training.request, settings, mirror.documents(), base);
  const std::size_t count = topic_count(training.request, settings);
  const TopicRows rows = topic_rows(snapshot, settings.min_df);
  const BackendOptions options = backend_options(training.settings.backend, training.log);
  MapTerms terms = terms_of(snapshot, rows);
  const TrainedUnits trained = train_units(training, plan, rows, *terms.terms, base, options);
  if (training.others != nullptr && training.others->rank() != 0) return nullptr;

  const std::vector<SomMatch>& matches = trained.matches;
  const SomQuality quality = measure(plan.lattice, plan.neighbors, matches);
  const std::vector<std::uint32_t> hits = count_hits(plan.lattice.units(), matches);
  const auto group = group_units(plan.lattice, *trained.codebook, hits, count);
  NamedMap named = name_map(training, plan, trained, *terms.terms, rows, hits, group);
  std::vector<float> spread = spread_of(rows.view(), matches, *trained.codebook);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return std::make_shared<const TopicMap>(TopicMap{
      .origin = origin_of(snapshot, training.settings, plan, trained.epochs, took.count()),
      .quantization_error = quality.quantization_error,
      .topographic_error = quality.topographic_error,
      .agreement = agreement_of(mirror, matches, group),
      .topics = std::move(named.topics),
      .units = std::move(named.units),
      .terms = std::move(terms.terms),
      .codebook = trained.codebook,
      .words = std::move(named.words),
      .idf = std::move(terms.idf),
      .spread = std::move(spread),
      .stamp = {},
  });
}

}  // namespace kindred
