#include "gpu/cpu/som/sums.h"

#include <algorithm>
#include <vector>

#include "gpu/cpu/som/kernels.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

/// Rows in the order of their best units, ascending inside a unit.
struct RowsByUnit {
  std::vector<std::uint32_t> begin;  ///< units + 1
  std::vector<std::uint32_t> row;

  std::span<const std::uint32_t> of(std::uint32_t unit) const {
    return std::span(row).subspan(begin[unit], begin[unit + 1] - begin[unit]);
  }
};

RowsByUnit group(std::span<const SomMatch> matches, std::uint32_t units) {
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

using Members = std::span<const std::uint32_t>;

/// Calls add(members) for a unit's members, kSomSegment at a time.
template <typename Add>
void for_segments(Members members, Add&& add) {
  for (std::size_t begin = 0; begin < members.size(); begin += kSomSegment)
    add(members.subspan(begin, std::min<std::size_t>(kSomSegment, members.size() - begin)));
}

/// The sums of one unit: one column every `stride` floats.
struct UnitSums {
  float* first;
  std::uint32_t stride;
  float& operator[](std::uint32_t column) const { return first[std::size_t{column} * stride]; }
};

void add_segment(const SparseRows& rows, Members members, UnitSums sums) {
  for (const std::uint32_t row : members)
    for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
      sums[rows.column[i]] += rows.weight[i];
}

void add_unit(const SparseRows& rows, Members members, UnitSums sums) {
  std::vector<float> segment_sum;
  for_segments(members, [&](Members segment) {
    if (segment.data() == members.data()) return add_segment(rows, segment, sums);
    segment_sum.assign(rows.columns, 0);
    add_segment(rows, segment, {segment_sum.data(), 1});
    for (std::uint32_t c = 0; c < rows.columns; ++c) sums[c] += segment_sum[c];
  });
}

void add_unit(const DenseRows& rows, Members members, UnitSums sums) {
  std::vector<double> sum(rows.columns), segment_sum(rows.columns);
  for_segments(members, [&](Members segment) {
    std::fill(segment_sum.begin(), segment_sum.end(), 0);
    for (const std::uint32_t row : segment) {
      const float* values = rows.value + std::size_t{row} * rows.columns;
      for (std::uint32_t c = 0; c < rows.columns; ++c) segment_sum[c] += values[c];
    }
    for (std::uint32_t c = 0; c < rows.columns; ++c) sum[c] += segment_sum[c];
  });
  for (std::uint32_t c = 0; c < rows.columns; ++c) sums[c] += static_cast<float>(sum[c]);
}

}  // namespace

void add_rows(const SomRows& rows, std::span<const SomMatch> matches, std::size_t threads,
              const SomSumsView& sums) {
  const RowsByUnit groups = group(matches, sums.units);
  // A chunk is one vector of units, so no two threads write to the same cache line.
  for_each_chunk(sums.units, kSomLanes, threads, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t u = begin; u < end; ++u) {
      const Members members = groups.of(u);
      if (members.empty()) continue;
      sums.hits[u] += members.size();
      const UnitSums unit = {sums.sum + u, sums.stride};
      std::visit([&](const auto& data) { add_unit(data, members, unit); }, rows);
    }
  });
}

}  // namespace kindred::cpu
