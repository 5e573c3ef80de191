#pragma once

#include <cstdint>
#include <vector>

#include "tests/bench/peers/device_array.cuh"

// Weighted sparse rows, on the host in double, on the device in float.

namespace kindred::bench {

/// Row r has the entries [row_begin[r], row_begin[r + 1]), terms ascending, weights not 0.
struct WeightedCsr {
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> term;
  std::vector<double> weight;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_begin.size() - 1); }
};

/// The same on the device, borrowed: what kernels take.
struct SparseView {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t longest = 0;  ///< entries of the longest row
  const std::uint32_t* row_begin = nullptr;
  const std::uint32_t* term = nullptr;
  const float* weight = nullptr;
};

/// Owns what a SparseView borrows.
class DeviceRows {
 public:
  explicit DeviceRows(const WeightedCsr& host);
  SparseView view() const {
    return {rows_, columns_, longest_, row_begin_.data(), term_.data(), weight_.data()};
  }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t entries() const { return static_cast<std::uint32_t>(term_.size()); }

 private:
  std::uint32_t rows_, columns_, longest_;
  DeviceArray<std::uint32_t> row_begin_, term_;
  DeviceArray<float> weight_;
};

inline constexpr std::uint32_t kSlice = 32;             ///< rows of a slice: a warp
inline constexpr std::uint32_t kEndOfRow = UINT32_MAX;  ///< no term: what pads a row

/// Rows in transposed slices (sliced ELLPACK): entry i of row r is at
/// begin[r / kSlice] + i * kSlice + r % kSlice, so that neighboring threads with a row each read
/// neighboring words. Every row ends in at least one kEndOfRow.
struct SlicesView {
  std::uint32_t rows = 0;
  std::uint32_t longest = 0;             ///< entries of the longest row, with its end
  const std::uint32_t* begin = nullptr;  ///< slices + 1 offsets
  const std::uint32_t* term = nullptr;
  const float* weight = nullptr;
};

/// Owns what a SlicesView borrows.
class DeviceSlices {
 public:
  explicit DeviceSlices(const WeightedCsr& host);
  SlicesView view() const { return {rows_, longest_, begin_.data(), term_.data(), weight_.data()}; }

 private:
  std::uint32_t rows_, longest_ = 0;
  DeviceArray<std::uint32_t> begin_, term_;
  DeviceArray<float> weight_;
};

}  // namespace kindred::bench
