#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "gpu/row_set.h"

namespace kindred {

class Snapshot;

/// Finds queries that a label cannot reach: none of their k nearest voters has it. That takes less
/// work than to find these voters. The most similar voter with the label is sought among those that
/// have it. Then parts of the other voters are searched, small ones first, until k of them are more
/// similar. Similarities that are found in a part differ from those in the whole mirror by rounding
/// only, so they have to differ by more than that. Immutable, so any number of threads may use it.
class LabelReach {
 public:
  /// The mirror of `snapshot` must be compact. `voters`: covers its rows. All but `settings` are
  /// borrowed. @throws Error as make_backend().
  LabelReach(const Snapshot& snapshot, const RowSet& voters, std::uint32_t label, std::size_t k,
             const BackendSettings& settings);

  /// True if that pays: on a CPU, for a label that at most an eighth of the voters have.
  static bool is_useful(const Snapshot& snapshot, const RowSet& voters, std::uint32_t label);

  /// The rows, out of some of the mirror that are weighed for tags, of which the label may reach
  /// the document; no row votes for itself. In the order of `rows`.
  /// @throws Error as Backend::nearest().
  std::vector<std::uint32_t> within_reach(std::span<const std::uint32_t> rows) const;

 private:
  /// Some voters as a mirror of their own.
  struct Part {
    std::vector<std::uint32_t> rows;  ///< of the whole mirror
    Csr counts;
    std::unique_ptr<const Backend> backend;
  };
  /// A document that may be within reach.
  struct Document {
    std::uint32_t row = 0;
    float bound = 0;         ///< voters above this similarity are nearer than the label
    std::size_t nearer = 0;  ///< so many were found
  };

  Part make_part(std::vector<std::uint32_t> rows, const BackendSettings& settings) const;
  template <typename Visit>
  void search(const Part& part, std::span<const Document> documents, std::size_t k,
              Visit&& visit) const;

  const Snapshot& snapshot_;
  const std::size_t k_;
  Part members_;              ///< voters with the label
  std::vector<Part> others_;  ///< parts of the other voters
};

}  // namespace kindred
