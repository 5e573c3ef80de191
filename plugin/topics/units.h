#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/options.h"
#include "gpu/som/match.h"
#include "gpu/som/train.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/topic_rows.h"
#include "plugin/topics/training.h"

namespace kindred {

/// Returns once all processes that train the map have called it. `base`: the map to resume, or
/// null.
/// @throws Error kInvalidArgument, in every process, if one has another index, settings, request or
/// map than the first: the text names that process, by its rank.
void check_agreement(const TopicTraining& training, const TopicMap* base);

/// The results of training that a map needs. The dense codebook, which is large, is not among them.
struct TrainedUnits {
  std::shared_ptr<const SparseCodebook> codebook;
  std::vector<float> heights;     ///< the U-matrix
  std::vector<SomMatch> matches;  ///< of all rows, under `codebook`
  std::uint32_t epochs = 0;       ///< trained
};

/// Trains the units of a map. All processes call it with the same plan and rows: each trains on its
/// share of the rows, on all devices that it was given. `terms`: of the columns; `earlier`: the map
/// to resume, or null. Errors as train_topic_map().
TrainedUnits train_units(const TopicTraining& training, const SomPlan& plan, const TopicRows& rows,
                         const StringTable& terms, const TopicMap* earlier,
                         const BackendOptions& options);

}  // namespace kindred
