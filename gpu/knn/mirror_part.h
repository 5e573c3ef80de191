#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// Some rows of a matrix and their labels, as a matrix of its own with the same columns. Rows that
/// stand together are borrowed, others are copied.
class MirrorPart {
 public:
  /// Rows [first, first + count).
  MirrorPart(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
             std::uint32_t count);
  /// These rows, which ascend.
  MirrorPart(const CsrView& matrix, const LabelView& labels, std::span<const std::uint32_t> rows);
  MirrorPart(const MirrorPart&) = delete;
  MirrorPart& operator=(const MirrorPart&) = delete;

  const CsrView& rows() const { return rows_; }
  const LabelView& labels() const { return labels_; }

 private:
  void borrow(const CsrView& matrix, const LabelView& labels, std::uint32_t first,
              std::uint32_t count);
  void copy(const CsrView& matrix, const LabelView& labels, std::span<const std::uint32_t> rows);

  CsrView rows_;
  LabelView labels_;
  std::vector<std::uint64_t> row_begin_{0}, label_begin_{0};
  std::vector<std::uint32_t> column_, label_;
  std::vector<std::uint16_t> count_;
};

}  // namespace kindred
