#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/csr.h"

// A matrix as a file, which the peers in Python read, too:
// u64 rows, columns, nonzeros; u64 row_begin[]; u32 column[]; u16 count[].

namespace kindred::bench {

/// @throws std::runtime_error if it cannot be written.
inline void write_matrix(const std::string& path, const Csr& csr) {
  std::ofstream out(path, std::ios::binary);
  const auto write = [&](const auto& values) {
    out.write(reinterpret_cast<const char*>(std::data(values)),
              static_cast<std::streamsize>(std::size(values) * sizeof(values[0])));
  };
  const std::uint64_t sizes[] = {csr.rows(), csr.columns, csr.column.size()};
  write(sizes);
  write(csr.row_begin);
  write(csr.column);
  write(csr.count);
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

/// @throws std::runtime_error if it cannot be read, or is too short.
inline Csr read_matrix(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const auto read = [&](auto& values) {
    if (!in.read(reinterpret_cast<char*>(std::data(values)),
                 static_cast<std::streamsize>(std::size(values) * sizeof(values[0]))))
      throw std::runtime_error(path + ": not a file of write_matrix()");
  };
  std::uint64_t sizes[3];
  read(sizes);
  Csr csr;
  csr.columns = static_cast<std::uint32_t>(sizes[1]);
  csr.row_begin.resize(sizes[0] + 1);
  csr.column.resize(sizes[2]);
  csr.count.resize(sizes[2]);
  read(csr.row_begin);
  read(csr.column);
  read(csr.count);
  return csr;
}

/// About `n` rows of a matrix, or all if it has fewer, evenly spread.
inline Csr spread_rows(const Csr& csr, std::uint32_t n) {
  Csr some;
  some.columns = csr.columns;
  for (std::uint32_t row = 0; row < csr.rows(); row += std::max(csr.rows() / n, 1u)) {
    const auto begin = static_cast<std::ptrdiff_t>(csr.row_begin[row]);
    const auto end = static_cast<std::ptrdiff_t>(csr.row_begin[row + std::size_t{1}]);
    some.column.insert(some.column.end(), csr.column.begin() + begin, csr.column.begin() + end);
    some.count.insert(some.count.end(), csr.count.begin() + begin, csr.count.begin() + end);
    some.row_begin.push_back(some.column.size());
  }
  return some;
}

}  // namespace kindred::bench
