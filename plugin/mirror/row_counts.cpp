#include "plugin/mirror/row_counts.h"

#include <algorithm>
#include <utility>

namespace kindred {
namespace {

std::size_t bytes_of_rows(const Csr& rows) {
  return rows.row_begin.capacity() * sizeof(rows.row_begin[0]) +
         rows.column.capacity() * sizeof(rows.column[0]) +
         rows.count.capacity() * sizeof(rows.count[0]);
}

}  // namespace

RowCounts::RowCounts(Csr matrix)
    : matrix_(std::make_shared<const Csr>(std::move(matrix))),
      rows_(matrix_->rows()),
      columns_(matrix_->columns),
      nonzeros_(matrix_->column.size()) {}

RowCounts::Row RowCounts::row_of(const Csr& matrix, std::uint32_t row) {
  const std::uint64_t begin = matrix.row_begin[row];
  const std::uint64_t size = matrix.row_begin[row + std::size_t{1}] - begin;
  return {{matrix.column.data() + begin, size}, {matrix.count.data() + begin, size}};
}

RowCounts::Row RowCounts::moved_row(std::uint32_t row) const {
  const auto place =
      std::lower_bound(places_.begin(), places_.end(), row,
                       [](const Place& at, std::uint32_t wanted) { return at.row < wanted; });
  if (place == places_.end() || place->row != row) return {};
  return row_of(changes_[place->change]->counts, place->number);
}

void RowCounts::apply(std::shared_ptr<const RowChange> change, const RowSet& gone) {
  if (!change->rows.empty()) rows_ = std::max(rows_, change->rows.back() + 1);
  columns_ = std::max(columns_, change->counts.columns);
  for (const std::uint32_t row : change->rows) nonzeros_ -= (*this)[row].size();
  gone.for_each([&](std::uint32_t row) { nonzeros_ -= (*this)[row].size(); });
  nonzeros_ += change->counts.column.size();
  moved_.grow(matrix_->rows());
  const auto leave_matrix = [&](std::uint32_t row) {
    if (row < matrix_->rows()) moved_.set(row);
  };
  gone.for_each(leave_matrix);
  std::for_each(change->rows.begin(), change->rows.end(), leave_matrix);

  std::vector<Place> places;
  places.reserve(places_.size() + change->rows.size());
  auto next = change->rows.begin();
  const auto take_until = [&](std::uint32_t row) {
    for (; next != change->rows.end() && *next < row; ++next)
      places.push_back({*next, static_cast<std::uint32_t>(changes_.size()),
                        static_cast<std::uint32_t>(next - change->rows.begin())});
  };
  for (const Place& place : places_) {
    take_until(place.row);
    const bool replaced = next != change->rows.end() && *next == place.row;
    if (!replaced && !gone.has(place.row)) places.push_back(place);
  }
  take_until(UINT32_MAX);
  places_ = std::move(places);
  moved_count_ = moved_.count() + rows_ - matrix_->rows();
  last_ = change;
  changes_.push_back(std::move(change));
}

std::size_t RowCounts::bytes() const {
  std::size_t bytes =
      bytes_of_rows(*matrix_) + moved_.bytes() + places_.capacity() * sizeof(places_[0]);
  for (const auto& change : changes_) {
    bytes += bytes_of_rows(change->counts) + change->rows.capacity() * sizeof(change->rows[0]) +
             change->label_begin.capacity() * sizeof(change->label_begin[0]) +
             change->label.capacity() * sizeof(change->label[0]);
  }
  return bytes;
}

Csr transpose(const RowCounts& rows) {
  if (rows.is_matrix()) return transpose(rows.view());
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

}  // namespace kindred
