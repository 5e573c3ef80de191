#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/options.h"
#include "gpu/som/rows.h"
#include "gpu/som/train.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/training.h"

namespace kindred {

/// The numbers that decide how much main memory training takes.
struct TopicMemory {
  std::uint64_t units = 0;
  std::uint64_t terms = 0;
  std::uint64_t documents = 0;
  bool on_device = false;  ///< the twin that trains is in the memory of a device
  bool warm = false;       ///< the codebook to start from stays in memory beside it

  /// Bytes at the peak, besides the mirror and the rows: whole codebooks of 4 bytes per unit and
  /// term, for the CPU weights, sums, and the start or the result; and there 8 bytes per term for
  /// each unit of 1,024 documents or more, as many as there can be.
  std::uint64_t bytes() const;
};

/// The rows that a map is trained on: the documents of a snapshot over the terms of the map.
struct TopicRows {
  std::vector<Xapian::docid> docids;  ///< of the rows, ascending
  std::vector<std::uint32_t> terms;   ///< column -> term of the mirror
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> column;
  std::vector<float> weight;

  SomRows view() const;

  /// Rows [begin, end) in parts of kAtOnce, the last one perhaps smaller, as views of the whole; a
  /// part without rows if there are none. A device needs room for one part only.
  std::vector<SomRows> partitions(std::size_t begin, std::size_t end) const;

  static constexpr std::size_t kAtOnce = 100'000;
};

/// Rows are weighted and scaled to length 1 over all terms. Then only the terms in at least
/// `min_df` documents are kept, or all if there is no such term. Takes 8 bytes per weight that is
/// kept, beside the mirror, and while it is made 10 bytes for each term of kAtOnce documents.
TopicRows topic_rows(const Snapshot& snapshot, std::int64_t min_df);

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
