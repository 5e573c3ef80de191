#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/settings.h"
#include "gpu/workers.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_shape.h"
#include "tests/fixtures/random_csr.h"

// What the benchmark of the GPU works on: collections of RCV1's shape, their topics, and queries in
// page-locked memory.

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

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Takes the value of --devices. @throws std::invalid_argument
inline TakeValue into_devices(std::vector<int>& target) {
  return [&target](const std::string& text) {
    const auto devices = parse_device_list(text);
    if (!devices || devices->all) throw std::invalid_argument("expected --devices 0,1");
    target.assign(devices->numbers.begin(), devices->numbers.end());
  };
}

/// Page-locked memory for a benchmark's inputs and outputs.
template <typename T>
class Pinned {
 public:
  explicit Pinned(std::size_t size) : size_(size) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&data_),
                        std::max<std::size_t>(size, 1) * sizeof(T), 0));
  }
  explicit Pinned(const std::vector<T>& values) : Pinned(values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  T* data() { return data_; }
  std::span<T> span() { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// One to six of 103 topics per row, low numbers more often.
inline test::Labels random_topics(std::uint32_t rows) {
  constexpr double kTopics = 103;
  SplitMix random(11);
  test::Labels labels;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::set<std::uint32_t> own;
    for (std::uint64_t n = 1 + random.next() % 6; n > 0; --n)
      own.insert(static_cast<std::uint32_t>(kTopics * random.uniform() * random.uniform() * .999));
    labels.add_row(own);
  }
  return labels;
}

/// Rows of a matrix as queries, in page-locked memory.
class PinnedQueries {
 public:
  explicit PinnedQueries(const Csr& csr)
      : rows_(csr.rows()), row_begin_(csr.row_begin), term_(csr.column), count_(csr.count) {}
  QueryView view() { return {rows_, row_begin_.data(), term_.data(), nullptr, count_.data()}; }

 private:
  std::size_t rows_;
  Pinned<std::uint64_t> row_begin_;
  Pinned<std::uint32_t> term_;
  Pinned<std::uint16_t> count_;
};

inline QueryView first_rows(const Csr& csr, std::size_t rows) {
  return {rows, csr.row_begin.data(), csr.column.data(), nullptr, csr.count.data()};
}

/// One row of a matrix as a query.
struct RowQuery {
  RowQuery(const Csr& csr, std::uint32_t row)
      : row_begin{0, csr.row_begin[row + std::size_t{1}] - csr.row_begin[row]},
        view{1, row_begin, csr.column.data() + csr.row_begin[row], nullptr,
             csr.count.data() + csr.row_begin[row]} {}
  RowQuery(const RowQuery&) = delete;
  std::uint64_t row_begin[2];
  QueryView view;
};

}  // namespace kindred::bench
