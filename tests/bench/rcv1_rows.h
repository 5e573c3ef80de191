#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/workers.h"
#include "tests/bench/rcv1_shape.h"

namespace kindred::bench {

/// rcv1_shape() in pieces of their own seeds, drawn by all cores.
inline Csr rcv1_rows(std::uint32_t rows, std::uint64_t seed) {
  constexpr std::uint32_t kPiece = 100000;
  std::vector<Csr> pieces(number_of_chunks(rows, kPiece));
  for_each_chunk(rows, kPiece, 0, [&](std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t i = begin / kPiece;
    pieces[i] = rcv1_shape(end - begin, seed * 1000 + i);
  });
  std::vector<std::uint64_t> base{0};
  for (const Csr& piece : pieces) base.push_back(base.back() + piece.column.size());
  Csr all;
  all.columns = kRcv1Terms;
  all.row_begin.resize(std::size_t{rows} + 1);
  all.column.resize(base.back());
  all.count.resize(base.back());
  for_each_item(pieces.size(), 0, [&](std::size_t i) {
    const Csr piece = std::move(pieces[i]);
    const auto place = static_cast<std::ptrdiff_t>(base[i]);
    std::ranges::copy(piece.column, all.column.begin() + place);
    std::ranges::copy(piece.count, all.count.begin() + place);
    for (std::size_t row = 1; row < piece.row_begin.size(); ++row)
      all.row_begin[i * kPiece + row] = base[i] + piece.row_begin[row];
  });
  return all;
}

}  // namespace kindred::bench
