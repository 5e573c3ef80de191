#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kindred {

/// Counts are kept in 16 bits. A larger count is stored as this one.
inline constexpr std::uint32_t kMaxCount = 65535;

/// A borrowed sparse matrix of term counts, documents x terms, in compressed sparse rows:
/// row r holds entries [row_begin[r], row_begin[r + 1]) of `column` and `count`,
/// with columns strictly ascending inside a row and every count in [1, kMaxCount].
struct CsrView {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1 offsets, the first 0
  const std::uint32_t* column = nullptr;     ///< nonzeros() term ids, each < columns
  const std::uint16_t* count = nullptr;      ///< nonzeros() counts

  std::uint64_t nonzeros() const { return rows == 0 ? 0 : row_begin[rows]; }
};

/// Owns what a CsrView borrows.
struct Csr {
  std::uint32_t columns = 0;
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> column;
  std::vector<std::uint16_t> count;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_begin.size() - 1); }
  CsrView view() const { return {rows(), columns, row_begin.data(), column.data(), count.data()}; }
  friend bool operator==(const Csr&, const Csr&) = default;
};

/// Validates everything that CsrView promises, on up to `threads` threads (gpu/workers.h).
/// @throws Error kInvalidArgument that names the first offending row and what is wrong with it.
void check_csr(CsrView matrix, std::size_t threads = 1);

/// The transpose: row t of the result lists the documents that hold term t, ascending.
/// @throws Error kInvalidArgument if the matrix has more than 2^32 - 1 columns or rows.
Csr transpose(CsrView matrix);

}  // namespace kindred
