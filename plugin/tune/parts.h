#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpu/row_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/drift.h"

namespace kindred {

/// Of a row, other rows that tell more about it than documents tell about one that comes later.
struct Companions {
  std::vector<std::uint32_t> rows;
  bool is_repeated = false;  ///< a near-duplicate stands before it
};

/// The near-duplicates of each row, and what seems to be of one thread or source with it: of the 64
/// voters that are most similar to it, by the snapshot's own weighting, those whose similarity is
/// at least 0.6, and those of at least 0.3 whose docids are at most 32 before or after its own. The
/// others of the 64 are added to `drift`.
std::vector<Companions> companions_of(const Snapshot& snapshot, std::span<const std::uint32_t> rows,
                                      const RowSet& voters, DriftMeasure& drift);

/// The documents that are classified by the others, dealt into folds. The term weights that
/// classify a document must not be learned from its own labels. So they come from the other folds
/// only, or from documents that are not classified (CrossFit::learning_parts()).
struct FoldedRows {
  std::vector<std::uint32_t> rows;  ///< the rows to classify, ascending
  std::vector<std::uint8_t> fold;   ///< the fold of each of these rows
  RowSet voters;                    ///< all that may vote
  std::vector<RowSet> voting;       ///< for each fold, the voters that vote on its rows
  std::vector<RowSet> without;      ///< for each fold, the voters that are not in it
  /// If rows are repeated: for each fold, the voters that vote on those. Else empty.
  std::vector<RowSet> voting_on_repeated;
  std::vector<bool> is_repeated;  ///< for each of the rows, if any is; else empty
  /// A term counts as unknown if no row before this one holds it. The default makes no term
  /// unknown. In any case, a term that only one document holds is unknown to that document.
  std::uint32_t known_rows = std::numeric_limits<std::uint32_t>::max();
};

/// Deals `voters` into folds (at most 255), and draws at most `sample` of them (0: all) to be
/// classified. The same seed gives the same folds and the same sample on every machine.
FoldedRows deal_rows(const RowSet& voters, std::size_t folds, std::uint64_t seed,
                     std::size_t sample);

/// Splits `voters` into the latest `share` and the earlier ones. Draws at most `sample` (0: all) of
/// the latest, to be classified by the earlier ones only. Rows of a mirror ascend by docid, which
/// is the order of arrival.
FoldedRows deal_latest(const RowSet& voters, double share, std::uint64_t seed, std::size_t sample);

/// The rows of the first fold, to be classified by those of the other folds only.
FoldedRows first_fold(const FoldedRows& dealt);

/// Takes the companions of each row from those that vote on the row's fold, and from those that its
/// weights are learned from. `companions`: one entry for each of rows.rows. If half of the rows
/// or more are repeated, so will be documents that come later: then the companions of these rows
/// stay, and vote on rows that are repeated.
void keep_apart(std::span<const Companions> companions, FoldedRows& rows);

/// The same for groups of rows: where a row of a group is classified, the others do not vote.
void keep_groups_apart(std::span<const std::vector<std::uint32_t>> groups, FoldedRows& rows);

/// Draws at most `most` of some rows at random; ascending. The same on every machine.
std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> rows, std::size_t most,
                                 std::uint64_t seed);

}  // namespace kindred
