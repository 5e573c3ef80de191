#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/csr.h"

namespace kindred {

/// What the product of a query and a row is divided by, besides the length of the query.
enum class RowDivisor : std::uint8_t {
  kOwnLength,  ///< the length of the row: similarities are cosines
  kLongest,    ///< the length of the longest live row: they are in the order of the dot product
};

/// The collection side of a SMART weighting, as plain numbers: a term t that occurs c times weighs
/// tf[c] * idf[t] before it is divided. All values are finite and >= 0. Whoever fills it takes the
/// logarithms; nothing behind this interface does.
struct TermWeighting {
  std::vector<double> idf;  ///< one for each term of the mirror
  std::vector<double> tf;   ///< tf[c] for counts c = 0 .. tf.size() - 1; covers every count in use
  RowDivisor divisor = RowDivisor::kOwnLength;  ///< of all rows; queries always have length 1
};

/// A borrowed batch of queries in CSR over the mirror's terms, as unit weights or as raw counts:
/// exactly one of `weight` and `count` is set. Terms ascend strictly inside a row. The backend
/// weighs counts with its own weighting, to the same bits as Queries::add_counts().
struct QueryView {
  std::size_t rows = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1 offsets, the first `begin`
  const std::uint32_t* term = nullptr;
  const double* weight = nullptr;        ///< > 0, of Euclidean length 1 in each row
  const std::uint16_t* count = nullptr;  ///< >= 1; past the table of tf, its last entry counts
  std::uint64_t begin = 0;               ///< of the first row: 0 but in parts of a batch

  /// Rows [first, first + n) of the batch.
  QueryView part(std::size_t first, std::size_t n) const {
    QueryView result = *this;
    result.rows = n;
    if (n == 0) return result;
    result.row_begin += first;
    result.begin = result.row_begin[0];
    return result;
  }
};

class Queries;

/// Appends row `q` of a batch of counts to `weighed`. @throws Error as Queries::add_counts().
void add_row_of_counts(const QueryView& queries, std::size_t q, const TermWeighting& weighting,
                       Queries& weighed);

/// A batch of queries: sparse vectors of Euclidean length 1 over the mirror's terms, in CSR.
/// A query without a known term of positive weight is an empty row and has no neighbors.
class Queries {
 public:
  std::size_t rows() const { return row_begin_.size() - 1; }
  QueryView view() const {
    return {rows(), row_begin_.data(), term_.data(), weight_.data(), nullptr};
  }
  std::span<const std::uint32_t> terms(std::size_t row) const {
    return {term_.data() + row_begin_[row], row_begin_[row + 1] - row_begin_[row]};
  }
  std::span<const double> weights(std::size_t row) const {
    return {weight_.data() + row_begin_[row], row_begin_[row + 1] - row_begin_[row]};
  }

  /// Appends the cosine-normalized weights of `counts` for `terms` (strictly ascending, each a term
  /// of the mirror). Counts past the table's end weigh as its last entry. Terms of weight 0 are
  /// dropped.
  /// @throws Error kInvalidArgument if the sizes differ, the terms do not ascend, one has no idf,
  /// or a weight is not finite. The batch is then unchanged.
  void add_counts(std::span<const std::uint32_t> terms, std::span<const std::uint32_t> counts,
                  const TermWeighting& weighting);

  /// Normalizes a weighted vector and appends it. Entries that are not > 0 are dropped, as
  /// Rocchio's formula clips negative weights to 0. `terms` is strictly ascending.
  /// @throws Error kInvalidArgument as above, except that a NaN is not > 0 and so is dropped.
  void add_weights(std::span<const std::uint32_t> terms, std::span<const double> weights);

  /// Appends the queries of another batch.
  void append(const Queries& others);

 private:
  friend void add_row_of_counts(const QueryView& queries, std::size_t q,
                                const TermWeighting& weighting, Queries& weighed);
  template <typename Count>
  void append_counts(std::span<const std::uint32_t> terms, std::span<const Count> counts,
                     const TermWeighting& weighting);
  template <typename WeightAt>
  void append(std::span<const std::uint32_t> terms, WeightAt&& weight_at);

  std::vector<std::uint64_t> row_begin_{0};
  std::vector<std::uint32_t> term_;
  std::vector<double> weight_;
};

}  // namespace kindred
