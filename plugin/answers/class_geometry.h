#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kindred {

/// Called after each batch, in the calling thread, with the documents whose nearest neighbor is
/// found so far and all that there are. If it returns false, the measurement is canceled.
using GeometryProgress = std::function<bool(std::uint64_t measured, std::uint64_t all)>;

/// How far the documents of each label are from each other and from those of other labels, in
/// cosine space. The squared distance of two documents is d^2 = |x - y|^2 = 2 - 2 cos(x, y), from 0
/// to 2. Made of the labeled documents that have a feature. A document with several labels counts
/// for each.
struct ClassGeometry {
  std::vector<std::string> labels;       ///< in byte order
  std::vector<std::uint64_t> documents;  ///< of each label

  /// [labels][labels]: mean of d^2 over all pairs of different documents, one of each label. On the
  /// diagonal, both are of the same label. NaN where there is no pair.
  std::vector<std::vector<double>> mean_square_distance;

  /// [labels][labels + 1]: counts of documents by the label (row) of the document and the labels
  /// (column) of the nearest other labeled document. A document of label a counts in column a if
  /// its nearest has a, too; if not, in the column of each label of its nearest. The last column
  /// counts documents that are similar to no other.
  std::vector<std::vector<std::uint64_t>> nearest;

  double intra = 0;            ///< mean of the diagonal, NaN if no label has two documents
  double inter = 0;            ///< mean of the other entries, NaN if there are none
  double informativeness = 0;  ///< inter / intra: the larger, the better labels are told apart
};

}  // namespace kindred
