#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// How the documents of different labels lie to each other in cosine space, where the squared
/// distance of two documents is d^2 = |x - y|^2 = 2 - 2 cos(x, y), from 0 to 2. Made of labeled
/// documents that have a feature; a document of several labels belongs to the class of each.
struct ClassGeometry {
  std::vector<std::string> labels;       ///< in byte order
  std::vector<std::uint64_t> documents;  ///< of each label

  /// [labels][labels]: mean of d^2 over all pairs of different documents, one of each label; inside
  /// a label on the diagonal. NaN where there is no pair.
  std::vector<std::vector<double>> mean_square_distance;

  /// [labels][labels + 1]: where the nearest other labeled documents are. A document of label a
  /// counts in column a if its nearest has a, too; if not, in the column of each label that its
  /// nearest has. The last column is for documents that are similar to none.
  std::vector<std::vector<std::uint64_t>> nearest;

  double intra = 0;            ///< mean of the diagonal, NaN if no label has two documents
  double inter = 0;            ///< mean of the other entries, NaN if there are none
  double informativeness = 0;  ///< inter / intra: the larger, the better labels are told apart
};

}  // namespace kindred
