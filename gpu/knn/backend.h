#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/csr.h"
#include "gpu/queries.h"
#include "gpu/row_set.h"

namespace kindred {

/// A row of the mirror and how similar it is to the query.
struct Neighbor {
  std::uint32_t row = kNoRow;  ///< number of a row of the mirror, not a Xapian docid
  float similarity = 0;        ///< as the weighting's divisor says, in [0, 1]

  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  friend bool operator==(const Neighbor&, const Neighbor&) = default;
};

/// The labels of rows, borrowed, in CSR: row r has label[row_begin[r]] .. , ascending and below
/// LabelShare::kNoLabel.
struct LabelView {
  std::uint32_t rows = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1 offsets, the first 0
  const std::uint32_t* label = nullptr;

  /// Those of a row; none if there are no rows.
  std::span<const std::uint32_t> of(std::uint32_t row) const {
    if (rows == 0) return {};
    return {label + row_begin[row], row_begin[row + std::size_t{1}] - row_begin[row]};
  }
};

/// A label and its share of the summed similarities of a query's neighbors, in [0, 1].
struct LabelShare {
  std::uint32_t label = kNoLabel;
  double share = 0;

  static constexpr std::uint32_t kNoLabel = UINT32_MAX;
  friend bool operator==(const LabelShare&, const LabelShare&) = default;
};

/// The voters, and how much of the result is wanted.
struct Vote {
  std::size_t k = 0;               ///< nearest voters of each query, at least 1
  std::size_t labels = 0;          ///< shares wanted for each query, at least 1
  const RowSet* voters = nullptr;  ///< the rows that may vote; null: all
  /// For each query a row that does not vote, or kNoRow; empty: all do.
  std::span<const std::uint32_t> exclude{};
};

/// How a mirror changed after a backend was made of it: rows were replaced, rows were added after
/// the last one, and rows died, which means that they no longer count. Everything is borrowed.
/// `added` and `added_labels` must outlive the backends; `number` and `dead` need not outlive the
/// call.
struct MirrorChange {
  CsrView added;           ///< may have more columns than the mirror had, never fewer
  LabelView added_labels;  ///< no rows, or as many as `added`
  /// [added.rows] the numbers of the rows of `added`, ascending. A number below the rows of the
  /// mirror replaces that row and its labels, dead or alive; the others follow the last row without
  /// a gap. Null: all rows follow the last one.
  const std::uint32_t* number = nullptr;
  /// The numbers of rows that died; covers all rows, replaced and added ones included. Null: none.
  /// A dead row stays dead until it is replaced, and a row that is replaced is alive unless it is
  /// in this set.
  const RowSet* dead = nullptr;
  /// If the mirror is a part of a larger one: the length of the longest live row of all parts, this
  /// one included. Similarities then have the bits of the larger mirror.
  double longest_of_all = 0;
};

/// Describes a backend, for people and for `status`.
struct BackendInfo {
  std::string kind;    ///< "cpu" or "cuda"
  std::string device;  ///< the processor: instruction set and threads, or the name of the GPU
  std::string compute_capability;  ///< "9.0"; "" for a CPU
  /// Memory held besides the mirror's own. On a device: by all backends that were refreshed from
  /// one another and still exist.
  std::uint64_t bytes = 0;
};

/// Room for the neighbors of some queries.
using AnswerRoom = std::shared_ptr<Neighbor[]>;

/// One immutable mirror, ready to be searched. Any number of threads may call it at once.
/// Every implementation returns the same bits: docs/scoring.md defines them, gpu/scoring.h is
/// the definition as code.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The k rows most similar to each query, written to `neighbors`: row-major [queries.rows, k],
  /// similarity descending, then row ascending. Rows of similarity 0 are not neighbors. A list of
  /// fewer than k neighbors is filled up with {kNoRow, 0}. Only rows in `allowed` are considered,
  /// if it is given. Blocks.
  /// @throws Error kInvalidArgument if k == 0, a query names a term outside the mirror, `allowed`
  /// covers fewer rows than the mirror, or `neighbors` has another size; kOutOfMemory or
  /// std::bad_alloc; kDevice if the device failed. After an error `neighbors` may be partly
  /// written; the backend itself is unchanged.
  virtual void nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
                       std::span<Neighbor> neighbors) const = 0;

  /// The same, into a new vector.
  std::vector<Neighbor> nearest(const Queries& queries, std::size_t k,
                                const RowSet* allowed = nullptr) const;

  /// The labels of each query's k neighbors and their shares, written to `shares`: row-major
  /// [queries.rows, vote.labels], share descending, then label ascending. A list of fewer labels is
  /// filled up with {kNoLabel, 0}. A label's share is the sum of the similarities of the neighbors
  /// that have it over the sum of all, both added in double in the neighbors' order (Yang and Liu
  /// 1999, section 3.3). A neighbor without labels counts only in the sum of all.
  /// @throws Error as nearest(), and kInvalidArgument if vote.labels == 0 or exclude has another
  /// size.
  virtual void vote(const QueryView& queries, const Vote& vote,
                    std::span<LabelShare> shares) const = 0;

  /// A backend of the mirror after `change`, under `weighting`. It shares with this one what did
  /// not change. This one stays as it is and may be destroyed first. The answers are those of a
  /// backend made of the whole mirror, its rows in the order of their numbers, with its dead rows
  /// empty and left out of the scale. Rows that were replaced still take memory, and the host's
  /// memory of their former entries stays borrowed: where most rows were replaced, a backend made
  /// of the whole mirror is smaller and quicker.
  /// @throws Error as make_backend().
  virtual std::unique_ptr<const Backend> refreshed(const MirrorChange& change,
                                                   const TermWeighting& weighting) const = 0;

  /// The length of the longest live row under the weighting; 0 if all are empty.
  virtual double longest() const = 0;

  virtual BackendInfo info() const = 0;

  /// Room for so many neighbors, with anything in it. If large calls of nearest() write to some
  /// memory more quickly than to other memory, it is of that. It may outlive the backend.
  /// @throws std::bad_alloc; kDevice if the device failed.
  virtual AnswerRoom make_room(std::size_t neighbors) const;
};

/// Several devices as one: their names as "2 x NVIDIA H200", with ", " between those that differ,
/// and the sum of their bytes. Kind and compute capability are those of the first, which must
/// exist.
BackendInfo joined_info(std::span<const BackendInfo> devices);

}  // namespace kindred
