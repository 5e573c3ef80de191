#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "gpu/workers.h"
#include "plugin/mirror/row_counts.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {

/// Documents that linear classifiers are learned from: vectors of Euclidean length 1 in CSR, terms
/// ascending. Those without a term teach nothing. Their order should be one of chance.
struct LinearExamples {
  std::vector<std::uint32_t> rows;      ///< of `labels`: whose vectors these are
  std::vector<std::uint64_t> begin{0};  ///< of a document's terms; documents + 1
  std::vector<std::uint32_t> term;
  std::vector<float> weight;
  RowLabels labels;

  std::size_t documents() const { return rows.size(); }
};

/// For each label, the support vector machine with squared hinge loss that tells its documents from
/// all others:
///
///     minimize |w|^2 / 2 + sum over documents of max(0, 1 - y (w, o).(x, 1))^2
///
/// y is 1 if the document has the label, else -1; x is its vector, w holds a weight for each term
/// of the label's documents, and o is the offset, which counts in |w|. Solved by dual coordinate
/// descent (Hsieh et al. 2008) in the order of the documents, until no gradient of a pass differs
/// by more than 0.1, or for eight passes. The result does not depend on `threads`.
/// @return parts without names: labels, terms, and what was learned from are left to the caller.
///         There is one row of entries for each of `terms` terms.
LinearClassifiers::Parts fit_linear(const LinearExamples& examples, std::uint32_t terms,
                                    std::uint32_t label_count, std::size_t threads);

/// A matrix whose columns have other numbers: the more entries a column has, the lower its number.
/// Most entries are of few columns, so what is kept by column then stays near the processor.
/// Entries have the order that they had in their rows, so that sums over them stay the same.
class FrequentFirst {
 public:
  /// Borrows the matrix.
  explicit FrequentFirst(const CsrView& matrix);

  /// Columns do not ascend in a row.
  CsrView view() const;
  /// Values by column, as the new numbers have them.
  std::vector<double> renumbered(const std::vector<double>& values) const;
  /// The former number of a column.
  std::uint32_t former(std::uint32_t column) const { return former_[column]; }
  /// Values by column, as the former numbers have them.
  std::vector<double> restored(const std::vector<double>& values) const;

 private:
  CsrView matrix_;
  std::vector<std::uint32_t> former_;
  std::vector<std::uint32_t> column_;  ///< of each entry
};

/// Rows as queries, in their order: what weigh(row, queries) appends for each, called by several
/// threads.
template <typename Weigh>
Queries weighed_rows(std::span<const std::uint32_t> rows, std::size_t threads, Weigh&& weigh) {
  constexpr std::size_t kWeighedAtOnce = 64;
  std::vector<Queries> parts(number_of_chunks(rows.size(), kWeighedAtOnce));
  for_each_chunk(rows.size(), kWeighedAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    Queries& part = parts[begin / kWeighedAtOnce];
    for (const std::uint32_t row : rows.subspan(begin, end - begin)) weigh(row, part);
  });
  Queries all;
  for (const Queries& part : parts) all.append(part);
  return all;
}

}  // namespace kindred
