#include "gpu/knn/mirror_part.h"

namespace kindred {
namespace {

/// Offsets [first, first + count] of `from`, less the first of them.
std::vector<std::uint64_t> offsets_from_0(const std::uint64_t* from, std::uint32_t first,
                                          std::uint32_t count) {
  if (count == 0) return {0};
  std::vector<std::uint64_t> result(from + first, from + first + count + 1);
  for (std::uint64_t& offset : result) offset -= from[first];
  return result;
}

}  // namespace

MirrorPart::MirrorPart(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
                       std::uint32_t count) {
  borrow(matrix, labels, first, count);
}

MirrorPart::MirrorPart(const CsrView& matrix, const LabelView& labels,
                       std::span<const std::uint32_t> rows) {
  const auto count = static_cast<std::uint32_t>(rows.size());
  if (rows.empty() || rows.back() - rows.front() + 1 == count)
    borrow(matrix, labels, rows.empty() ? 0 : rows.front(), count);
  else
    copy(matrix, labels, rows);
}

void MirrorPart::borrow(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
                        std::uint32_t count) {
  row_begin_ = offsets_from_0(matrix.row_begin, first, count);
  rows_ = {count, matrix.columns, row_begin_.data(), nullptr, nullptr};
  if (rows_.nonzeros() > 0) {
    rows_.column = matrix.column + matrix.row_begin[first];
    rows_.count = matrix.count + matrix.row_begin[first];
  }
  if (labels.rows == 0 || count == 0) return;
  label_begin_ = offsets_from_0(labels.row_begin, first, count);
  labels_ = {count, label_begin_.data(), nullptr};
  if (label_begin_.back() > 0) labels_.label = labels.label + labels.row_begin[first];
}

void MirrorPart::copy(const CsrView& matrix, const LabelView& labels,
                      std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) {
    const std::uint64_t begin = matrix.row_begin[row], end = matrix.row_begin[row + std::size_t{1}];
    column_.insert(column_.end(), matrix.column + begin, matrix.column + end);
    count_.insert(count_.end(), matrix.count + begin, matrix.count + end);
    row_begin_.push_back(column_.size());
    const std::span<const std::uint32_t> own = labels.of(row);
    label_.insert(label_.end(), own.begin(), own.end());
    label_begin_.push_back(label_.size());
  }
  const auto count = static_cast<std::uint32_t>(rows.size());
  rows_ = {count, matrix.columns, row_begin_.data(), column_.data(), count_.data()};
  if (labels.rows > 0) labels_ = {count, label_begin_.data(), label_.data()};
}

}  // namespace kindred
