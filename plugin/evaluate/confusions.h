#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/evaluate/evaluate.h"

namespace kindred {

/// Documents of one label whose best label is another.
struct Confusion {
  std::string label;                     ///< that they have
  std::optional<std::string> taken_for;  ///< their best label; nothing if no label got a vote
  std::uint64_t documents = 0;           ///< at least 1
  double share = 0;                      ///< of the documents of `label`, in (0, 1]
};

/// All confusions of a matrix: most documents first, then the largest share, then by names.
KINDRED_API std::vector<Confusion> worst_confusions(const ConfusionMatrix& matrix);

/// The numbers of at most `most` labels, ascending: those with the most documents that were taken
/// for another label or that were wrongly taken for them. Ties go to the lower number.
KINDRED_API std::vector<std::size_t> most_confused(const ConfusionMatrix& matrix, std::size_t most);

}  // namespace kindred
