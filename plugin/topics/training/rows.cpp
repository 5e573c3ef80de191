#include "plugin/topics/training/rows.h"

#include <algorithm>

namespace kindred {
namespace {

/// Rows [begin, end) as a matrix.
Csr rows_between(const RowCounts& counts, std::uint32_t begin, std::uint32_t end) {
  Csr part;
  part.columns = counts.columns();
  for (std::uint32_t row = begin; row < end; ++row) {
    const RowCounts::Row own = counts[row];
    part.column.insert(part.column.end(), own.columns.begin(), own.columns.end());
    part.count.insert(part.count.end(), own.counts.begin(), own.counts.end());
    part.row_begin.push_back(part.column.size());
  }
  return part;
}

/// Terms in `min_df` documents, and how many entries they have.
std::uint64_t choose_terms(const Mirror& mirror, std::int64_t min_df, TopicRows& rows) {
  const bool any = std::any_of(mirror.df.begin(), mirror.df.end(),
                               [&](std::uint32_t df) { return df >= min_df; });
  std::uint64_t entries = 0;
  for (std::uint32_t term = 0; term < mirror.df.size(); ++term) {
    if (any && mirror.df[term] < min_df) continue;
    rows.terms.push_back(term);
    entries += mirror.df[term];
  }
  return entries;
}

}  // namespace

SomRows TopicRows::view() const {
  return {static_cast<std::uint32_t>(row_begin.size() - 1),
          static_cast<std::uint32_t>(terms.size()), row_begin.data(), column.data(), weight.data()};
}

std::vector<SomRows> TopicRows::partitions(std::size_t begin, std::size_t end) const {
  const SomRows all = view();
  std::vector<SomRows> parts;
  do {
    const std::size_t next = std::min(end, begin + kAtOnce);
    parts.push_back(
        partition_of(all, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(next)));
    begin = next;
  } while (begin < end);
  return parts;
}

TopicRows topic_rows(const Snapshot& snapshot, std::int64_t min_df) {
  const Mirror& mirror = snapshot.mirror();
  const std::uint32_t all = mirror.rows();
  TopicRows rows;
  const std::uint64_t entries = choose_terms(mirror, min_df, rows);
  rows.column.reserve(entries);
  rows.weight.reserve(entries);
  rows.row_begin.reserve(all + std::size_t{1});
  std::vector<std::uint32_t> column_of(mirror.df.size(), UINT32_MAX);
  for (std::uint32_t column = 0; column < rows.terms.size(); ++column)
    column_of[rows.terms[column]] = column;
  for (std::uint64_t begin = 0; begin < all; begin += TopicRows::kAtOnce) {
    const auto end =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(all, begin + TopicRows::kAtOnce));
    const Csr part = rows_between(mirror.counts, static_cast<std::uint32_t>(begin), end);
    const std::vector<float> weights = unit_weights(part.view(), snapshot.weighting());
    for (std::uint32_t row = 0; row < part.rows(); ++row) {
      for (std::uint64_t i = part.row_begin[row]; i < part.row_begin[row + 1]; ++i) {
        if (column_of[part.column[i]] == UINT32_MAX || weights[i] == 0) continue;
        rows.column.push_back(column_of[part.column[i]]);
        rows.weight.push_back(weights[i]);
      }
      rows.row_begin.push_back(rows.column.size());
    }
  }
  return rows;
}

}  // namespace kindred
