#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/csr.h"
#include "gpu/queries.h"

namespace kindred {

/// A row of the mirror and how similar it is to the query.
struct Neighbor {
  std::uint32_t row = kNoRow;  ///< row of the mirror, not a Xapian docid
  float similarity = 0;        ///< cosine, in [0, 1]

  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  friend bool operator==(const Neighbor&, const Neighbor&) = default;
};

/// A set of rows: bit r % 64 of word r / 64. The caller's words must cover every row of the mirror.
using RowBits = std::span<const std::uint64_t>;

struct BackendOptions {
  std::string kind = "auto";  ///< "cpu", "cuda", or "auto" (cuda if one answers)
  std::size_t threads = 0;    ///< CPU threads for a call; 0 = one a core
};

/// One immutable mirror, ready to be searched. Any number of threads may call it at once.
/// Every implementation returns the same bits: docs/scoring.md defines them, gpu/scoring.h is
/// the definition as code.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The k rows most similar to each query: row-major [queries.rows(), k], similarity descending,
  /// then row ascending. Rows of similarity 0 are no neighbors: a short list ends in {kNoRow, 0}.
  /// Only rows in `allowed` are considered, if it is given. Blocks.
  /// @throws Error kInvalidArgument if k == 0, a query names a term outside the mirror, or
  /// `allowed` is shorter than the mirror; kOutOfMemory or std::bad_alloc, which change nothing.
  virtual std::vector<Neighbor> nearest(const Queries& queries, std::size_t k,
                                        const RowBits* allowed = nullptr) const = 0;

  virtual std::string_view kind() const = 0;  ///< "cpu" or "cuda"
  virtual std::string device() const = 0;  ///< the processor, for people: instruction set, threads
  virtual std::size_t bytes() const = 0;   ///< memory held besides the mirror's own
};

/// Prepares `mirror`, which has passed check_csr(), for search under `weighting`. Both are borrowed
/// and must outlive the result. The CPU's instructions are chosen at run time; environment variable
/// KINDRED_SIMD = baseline, avx2 or avx512 forces one of those that it has (for tests).
/// @throws Error kUnsupported if options.kind or KINDRED_SIMD cannot be had here; kInvalidArgument
/// if the kind is not known, the sizes of mirror and weighting differ, or a weight or the length
/// of a row is negative or not finite; kOutOfMemory or std::bad_alloc.
std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options);

}  // namespace kindred
