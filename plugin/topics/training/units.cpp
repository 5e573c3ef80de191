#include "plugin/topics/training/units.h"

#include <utility>
#include <variant>

#include "gpu/som/start.h"
#include "gpu/twins/factory.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/training/plan.h"
#include "plugin/topics/training/sharing.h"

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

}  // namespace

TrainedUnits train_units(const TopicTraining& training, const SomPlan& plan, const TopicRows& rows,
                         const StringTable& terms, const TopicMap* earlier,
                         const BackendOptions& options) {
  const SomRows all = rows.view();
  // Without rows, every process says so by itself.
  const bool shared = training.others != nullptr && all.rows > 0;
  const bool is_warm = earlier != nullptr || shared;
  auto twins = make_som_twins(plan.lattice, all.columns, options, [&](bool on_device) {
    check_memory({plan.lattice.units(), all.columns, all.rows, on_device, is_warm},
                 training.settings.topics.memory_mb);
  });
  SomCodebook warm;
  if (earlier != nullptr) {
    warm = codebook_of(*earlier, terms);
  } else if (shared) {
    warm = start_codebook(plan.lattice, rows.partitions(0, all.rows), plan.start, plan.seed);
  }
  std::vector<SomTwin*> borrowed;
  for (const auto& twin : twins) borrowed.push_back(twin.get());
  const RowShare own = share_of(training.others, all.rows);
  const SomResult trained =
      train_som({borrowed, shared ? training.others : nullptr}, rows.partitions(own.begin, own.end),
                plan, told(training.progress), is_warm ? &warm : nullptr);
  twins.clear();  // frees their codebooks before the map makes its own
  auto codebook = std::make_shared<const SparseCodebook>(trained.codebook);
  const SomRows share =
      partition_of(all, static_cast<std::uint32_t>(own.begin), static_cast<std::uint32_t>(own.end));
  auto matches = gather_matches(training.others, codebook->match(share, options.threads), all.rows);
  return {std::move(codebook), u_matrix(plan.lattice, trained.codebook), std::move(matches),
          static_cast<std::uint32_t>(trained.epochs.size())};
}

}  // namespace kindred
