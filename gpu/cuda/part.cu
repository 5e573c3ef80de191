// Floor: the rows' bytes over PCIe.
#include "gpu/cuda/part.cuh"

#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"

namespace kindred::cuda {
namespace {

/// Kernels read columns four at a time, and so up to three past the end.
constexpr std::uint64_t kColumnPadding = 3;

/// `padding`: elements behind the copy, of any value.
template <typename T>
DeviceBuffer<T> copy_in(const DevicePointer& device, Staging& staging, const T* host,
                        std::uint64_t n, std::uint64_t padding = 0) {
  DeviceBuffer<T> buffer(device, n + padding);
  cuda_check(cudaMemsetAsync(buffer.data() + n, 0, padding * sizeof(T), device->stream()),
             "copy of the mirror");
  staging.copy_to_device(buffer.data(), host, n * sizeof(T));
  return buffer;
}

/// What the kernels count on: the number of four entries in a row fits 24 bits.
constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 24;

void check_rows(CsrView counts) {
  for (std::uint32_t row = 0; row < counts.rows; ++row)
    if (counts.row_begin[row + std::size_t{1}] - counts.row_begin[row] >= kMostTerms)
      throw Error(Errc::kUnsupported, "row " + std::to_string(row) + " has 2^24 terms or more");
}

}  // namespace

Part::Part(const DevicePointer& device, Staging& staging, CsrView counts, LabelView labels,
           std::uint32_t first_row)
    : first_row_(first_row), rows_(counts.rows), columns_(counts.columns), labels_(labels) {
  check_rows(counts);
  row_begin_ =
      copy_in(device, staging, counts.row_begin, std::uint64_t{rows_} + (rows_ > 0 ? 1 : 0));
  column_ = copy_in(device, staging, counts.column, counts.nonzeros(), kColumnPadding);
  count_ = copy_in(device, staging, counts.count, counts.nonzeros());
  if (labels.rows == 0) return;
  if (labels.row_begin[labels.rows] > UINT32_MAX)
    throw Error(Errc::kUnsupported, "the rows have 2^32 labels or more");
  const std::vector<std::uint32_t> begin(labels.row_begin, labels.row_begin + labels.rows + 1);
  label_begin_ = copy_in(device, staging, begin.data(), begin.size());
  label_ = copy_in(device, staging, labels.label, labels.row_begin[labels.rows]);
  for (std::uint32_t row = 0; row < labels.rows; ++row) {
    const std::uint64_t begin = labels.row_begin[row], end = labels.row_begin[row + std::size_t{1}];
    most_labels_ = std::max(most_labels_, static_cast<std::uint32_t>(end - begin));
    if (end > begin)
      label_count_ = std::max(label_count_, labels.label[end - 1] + 1);  // they ascend
  }
}

PartView Part::view() const {
  return {first_row_,          rows_,        row_begin_.data(), column_.data(), count_.data(),
          label_begin_.data(), label_.data()};
}

}  // namespace kindred::cuda
