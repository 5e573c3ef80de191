#include "plugin/mirror/row_counts.h"

namespace kindred {
namespace {

/// A segment that owns its counts.
struct OwnedCounts : Segment {
  explicit OwnedCounts(Csr own) : matrix(std::move(own)) { counts = matrix.view(); }
  OwnedCounts(const OwnedCounts&) = delete;
  OwnedCounts& operator=(const OwnedCounts&) = delete;

  const Csr matrix;
};

}  // namespace

RowCounts::RowCounts(Csr matrix)
    : list_(std::make_shared<const SegmentList>(
          std::make_shared<const OwnedCounts>(std::move(matrix)))) {}

Csr RowCounts::matrix() const {
  Csr result;
  result.columns = columns();
  result.row_begin.reserve(rows() + std::size_t{1});
  const std::uint64_t entries = list_->nonzeros();  // hardly fewer
  result.column.reserve(entries);
  result.count.reserve(entries);
  for (std::uint32_t row = 0; row < rows(); ++row) {
    const RowEntries own = list_->row(row);
    result.column.insert(result.column.end(), own.column, own.column + own.size);
    result.count.insert(result.count.end(), own.count, own.count + own.size);
    result.row_begin.push_back(result.column.size());
  }
  return result;
}

Csr transpose(const RowCounts& rows) {
  Csr result;
  result.columns = rows.rows();
  result.row_begin.assign(rows.columns() + std::size_t{1}, 0);
  const auto each_entry = [&](auto&& visit) {
    for (std::uint32_t number = 0; number < rows.rows(); ++number) {
      const RowCounts::Row row = rows[number];
      for (std::size_t i = 0; i < row.size(); ++i) visit(number, row.columns[i], row.counts[i]);
    }
  };
  each_entry([&](auto, std::uint32_t term, auto) { ++result.row_begin[term + std::size_t{1}]; });
  for (std::size_t t = 0; t < rows.columns(); ++t) result.row_begin[t + 1] += result.row_begin[t];
  result.column.resize(result.row_begin.back());
  result.count.resize(result.row_begin.back());
  std::vector<std::uint64_t> next(result.row_begin.begin(), result.row_begin.end() - 1);
  each_entry([&](std::uint32_t number, std::uint32_t term, std::uint16_t count) {
    const std::uint64_t place = next[term]++;
    result.column[place] = number;
    result.count[place] = count;
  });
  return result;
}

RowLabels::RowLabels(LabelView labels) {
  CsrView rows;
  rows.rows = labels.rows;
  list_ =
      std::make_shared<const SegmentList>(std::make_shared<const Segment>(Segment{rows, labels}));
}

}  // namespace kindred
