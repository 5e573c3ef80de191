#include "gpu/cpu/som/sums.h"

#include <algorithm>

#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

/// Rows in the order of their best units.
struct RowsByUnit {
  std::vector<std::uint32_t> begin;  ///< units + 1
  std::vector<std::uint32_t> row;

  std::span<const std::uint32_t> of(std::uint32_t unit) const {
    return std::span(row).subspan(begin[unit], begin[unit + 1] - begin[unit]);
  }
};

RowsByUnit group(std::span<const SomMatch> matches, std::uint32_t units) {
  // A counting sort: offsets by a running sum, then each row goes to its unit.
  RowsByUnit groups;
  groups.begin.assign(units + std::size_t{1}, 0);
  for (const SomMatch& match : matches) ++groups.begin[match.unit + std::size_t{1}];
  for (std::uint32_t u = 0; u < units; ++u) groups.begin[u + 1] += groups.begin[u];

  groups.row.resize(matches.size());
  std::vector<std::uint32_t> next(groups.begin.begin(), groups.begin.end() - 1);
  for (std::uint32_t row = 0; row < matches.size(); ++row)
    groups.row[next[matches[row].unit]++] = row;

  return groups;
}

/// The sums of one unit: one column every `stride` integers.
template <typename Integer>
struct UnitSums {
  Integer* first;
  std::size_t stride;
  Integer& operator[](std::uint32_t column) const { return first[column * stride]; }
};

template <typename Integer>
void add_row(const SomRows& rows, std::uint32_t row, double scale, UnitSums<Integer> sums) {
  for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
    sums[rows.column[i]] += static_cast<Integer>(on_grid(rows.weight[i], scale));
}

}  // namespace

void SomSums::begin(const SomGrid& grid) {
  grid_ = grid;
  std::copy(grid.quanta().begin(), grid.quanta().end(), quanta_.data());

  // Every thread clears the memory of a wide unit as a whole.
  wide_.resize(grid.wide().size() * columns_);
  for_each_chunk(grid.wide().size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
    std::fill_n(wide_.data() + begin * columns_, (end - begin) * columns_, 0);
  });

  // Narrow sums are mostly 0 already, as take() empties them column by column.
  if (full_ == 0) return;
  for_each_chunk(columns_, kSomColumns, threads_, [&](std::uint32_t begin, std::uint32_t end) {
    std::fill(narrow(begin), narrow(end), 0);
  });
  full_ = 0;
}

void SomSums::add(const SomRows& rows, std::span<const SomMatch> matches) {
  const RowsByUnit groups = group(matches, units_);
  full_ = columns_;

  // A chunk is one vector of units, so no two threads write to the same cache line.
  for_each_chunk(units_, kSomLanes, threads_, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t u = begin; u < end; ++u) {
      const double scale = grid_.scales()[u];
      const std::uint32_t slot = grid_.slot(u);

      // A narrow unit shares its lines with others, a wide one has its columns side by side.
      for (const std::uint32_t row : groups.of(u)) {
        if (slot == SomGrid::kNarrow) {
          add_row<std::int32_t>(rows, row, scale, {narrow_.data() + u, stride_});
        } else {
          add_row<std::int64_t>(rows, row, scale, {wide_.data() + std::size_t{slot} * columns_, 1});
        }
      }
    }
  });
}

void SomSums::read(std::uint32_t first, std::span<std::int64_t> sums) const {
  // Wide units are few: each column is copied as if all were narrow, and then theirs are put in.
  for (std::size_t begin = 0; begin < sums.size(); begin += units_) {
    std::copy_n(narrow(first), units_, sums.data() + begin);
    for (std::size_t w = 0; w < grid_.wide().size(); ++w)
      sums[begin + grid_.wide()[w]] = wide_[w * columns_ + first];
    ++first;
  }
}

void SomSums::write(std::uint32_t first, std::span<const std::int64_t> sums) {
  full_ = columns_;
  for (std::size_t begin = 0; begin < sums.size(); begin += units_) {
    // All are written as if they were narrow. A wide unit's sum may not fit, and 0 replaces it.
    for (std::uint32_t u = 0; u < units_; ++u)
      narrow(first)[u] = static_cast<std::int32_t>(sums[begin + u]);

    for (std::size_t w = 0; w < grid_.wide().size(); ++w) {
      narrow(first)[grid_.wide()[w]] = 0;
      wide_[w * columns_ + first] = sums[begin + grid_.wide()[w]];
    }
    ++first;
  }
}

void SomSums::take(std::uint32_t column, const SomKernels& kernels, float* values) {
  // As read(): narrow units all at once, then the wide ones over them.
  kernels.take(quanta_.data(), stride_, narrow(column), values);
  for (std::size_t w = 0; w < grid_.wide().size(); ++w) {
    const std::uint32_t unit = grid_.wide()[w];
    values[unit] = static_cast<float>(wide_[w * columns_ + column]) * grid_.quanta()[unit];
  }

  if (full_ > 0) --full_;
}

}  // namespace kindred::cpu
