#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/options.h"
#include "gpu/som/train.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/training/rows.h"
#include "plugin/topics/training/training.h"

namespace kindred {

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
