#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/options.h"
#include "gpu/queries.h"
#include "gpu/segment_list.h"

namespace kindred {

/// A document of the mirror and how similar it is to the query.
struct Neighbor {
  std::uint32_t number = kNoDocument;
  float similarity = 0;  ///< as the weighting's divisor says, in [0, 1]

  friend bool operator==(const Neighbor&, const Neighbor&) = default;
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
  std::size_t k = 0;                    ///< nearest voters of each query, at least 1
  std::size_t labels = 0;               ///< shares wanted for each query, at least 1
  const DocumentSet* voters = nullptr;  ///< that may vote; null: all
  /// For each query a document that does not vote, or kNoDocument; empty: all do.
  std::span<const std::uint32_t> exclude{};
};

/// Describes a backend, for people and for `status`.
struct BackendInfo {
  std::string kind;  ///< "cpu" or "cuda"
  /// The processor: instruction set and threads; or the GPU, and for which compute capability the
  /// code that it runs was compiled: "NVIDIA H200 (code for 9.0)".
  std::string device;
  std::string compute_capability;  ///< "9.0"; "" for a CPU
  /// Memory held besides the mirror's own. On a device: by all backends that were refreshed from
  /// one another and still exist.
  std::uint64_t bytes = 0;
};

/// One immutable mirror, ready to be searched. Any number of threads may call it at once.
/// Every implementation returns the same bits: docs/scoring.md defines them, gpu/scoring.h is
/// the definition as code.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The k documents most similar to each query, written to `neighbors`: row-major [queries.rows,
  /// k], similarity descending, then number ascending. Documents of similarity 0 are not neighbors.
  /// A list of fewer than k neighbors is filled up with {kNoDocument, 0}. Only documents in
  /// `allowed` are considered, if it is given. Blocks.
  /// @throws Error kInvalidArgument if k == 0, a query names a term outside the mirror, `allowed`
  /// is a set of another mirror, or `neighbors` has another size; kOutOfMemory or
  /// std::bad_alloc; kDevice if the device failed. After an error `neighbors` may be partly
  /// written; the backend itself is unchanged.
  virtual void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
                       std::span<Neighbor> neighbors) const = 0;

  /// Finds them as above, and returns them in a new vector.
  std::vector<Neighbor> nearest(const Queries& queries, std::size_t k,
                                const DocumentSet* allowed = nullptr) const;

  /// The labels of each query's k neighbors and their shares, written to `shares`: row-major
  /// [queries.rows, vote.labels], share descending, then label ascending. A list of fewer labels is
  /// filled up with {kNoLabel, 0}. A label's share is the sum of the similarities of the neighbors
  /// that have it over the sum of all, both added in double in the neighbors' order (Yang and Liu
  /// 1999, section 3.3). A neighbor without labels counts only in the sum of all.
  /// @throws Error as nearest(), and kInvalidArgument if vote.labels == 0 or exclude has another
  /// size.
  virtual void vote(const QueryView& queries, const Vote& vote,
                    std::span<LabelShare> shares) const = 0;

  /// A backend of another state of the mirror, or of another weighting. It shares what was made of
  /// the segments that both have. This one stays as it is and may be destroyed first. The answers
  /// are those of make_backend().
  /// @throws Error as make_backend().
  virtual std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                                   const TermWeighting& weighting) const = 0;

  /// The mirror that is searched.
  virtual const SegmentListPointer& mirror() const = 0;

  /// The length of the longest live row under the weighting; 0 if all are empty.
  virtual double longest() const = 0;

  virtual BackendInfo info() const = 0;
};

/// Several devices as one: their names as "2 x NVIDIA H200", with ", " between those that differ,
/// and the sum of their bytes. Kind and compute capability are those of the first, which must
/// exist.
BackendInfo joined_info(std::span<const BackendInfo> devices);

/// The Backend of kind "cpu" (gpu/cpu); contract as make_backend().
std::unique_ptr<const Backend> make_cpu_backend(SegmentListPointer mirror,
                                                const TermWeighting& weighting, std::size_t threads,
                                                TileTiming tiles);

/// The Backend of kind "cuda" (gpu/cuda); contract as make_backend(). Host memory that is
/// page-locked is read and written in place by large calls; other memory is copied through buffers.
/// @throws Error kUnsupported if no device answers.
std::unique_ptr<const Backend> make_cuda_backend(SegmentListPointer mirror,
                                                 const TermWeighting& weighting,
                                                 const BackendOptions& options);

/// How many CUDA devices the machine has, at least one. @throws Error kUnsupported if none answers.
int count_cuda_devices();

/// Starts a CUDA device for this process, which takes some tenths of a second for the first time.
/// @throws Error kUnsupported, kDevice.
void start_cuda_device(int ordinal);

/// rows * each: the size of an answer whose items take `item_bytes` each.
/// @throws Error kInvalidArgument if each == 0; kOutOfMemory if no memory could hold it.
std::size_t answer_size(std::size_t rows, std::size_t each, std::size_t item_bytes);

/// Refuses offsets that are not what QueryView promises. The entries themselves are not read.
void check_offsets(const QueryView& queries);

/// Refuses queries that are not what QueryView promises, or name a term outside the mirror.
void check_queries(const QueryView& queries, std::uint32_t columns);

/// Checks the arguments of Backend::nearest() except the queries' entries. `size` is the size of
/// its answer.
void check_nearest(const SegmentList& mirror, const QueryView& queries, std::size_t k,
                   const DocumentSet* allowed, std::size_t size);

/// Checks the arguments of Backend::vote() except the queries' entries. `size` is the size of its
/// answer.
void check_vote(const SegmentList& mirror, const QueryView& queries, const Vote& vote,
                std::size_t size);

/// Refuses a weighting that does not have exactly one idf per column, or that has a value that is
/// negative or not finite.
void check_weighting(const TermWeighting& weighting, std::uint32_t columns);

}  // namespace kindred
