#include "plugin/topics/topic_rows.h"

#include <algorithm>
#include <span>
#include <utility>

#include "plugin/mirror/mirror.h"

namespace kindred {
namespace {

/// Terms in `min_df` documents, in their order, and how many entries they have.
std::uint64_t choose_terms(const Mirror& mirror, std::int64_t min_df, TopicRows& rows) {
  // If no term is in so many documents, as in a small index, all are taken.
  const bool any = std::ranges::any_of(mirror.df, [&](std::uint32_t df) {
    return df >= min_df;
  });

  std::uint64_t entries = 0;
  for (const std::uint32_t term : terms_in_order(mirror)) {
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
  TopicRows rows;
  rows.docids = mirror.list->numbers();
  const std::span<const Xapian::docid> all(rows.docids);

  const std::uint64_t entries = choose_terms(mirror, min_df, rows);
  rows.column.reserve(entries);
  rows.weight.reserve(entries);
  rows.row_begin.reserve(all.size() + 1);

  std::vector<std::uint32_t> column_of(mirror.df.size(), UINT32_MAX);
  for (std::uint32_t column = 0; column < rows.terms.size(); ++column)
    column_of[rows.terms[column]] = column;

  // Part by part, so that the counts of a large index need not be in memory beside the rows.
  std::vector<std::pair<std::uint32_t, float>> entries_of_row;
  for (std::size_t begin = 0; begin < all.size(); begin += TopicRows::kAtOnce) {
    const std::size_t count = std::min(TopicRows::kAtOnce, all.size() - begin);
    const Csr part = matrix_of(*mirror.list, all.subspan(begin, count));
    const std::vector<float> weights = unit_weights(part.view(), snapshot.weighting());

    // Only the terms of the map, with weights of rows that have length 1 over all terms.
    for (std::uint32_t row = 0; row < part.rows(); ++row) {
      entries_of_row.clear();
      for (std::uint64_t i = part.row_begin[row]; i < part.row_begin[row + 1]; ++i) {
        if (column_of[part.column[i]] != UINT32_MAX && weights[i] != 0)
          entries_of_row.emplace_back(column_of[part.column[i]], weights[i]);
      }

      // Terms are numbered as they came into the index, columns in their own order.
      if (!std::ranges::is_sorted(entries_of_row)) std::ranges::sort(entries_of_row);
      for (const auto& [column, weight] : entries_of_row) {
        rows.column.push_back(column);
        rows.weight.push_back(weight);
      }

      rows.row_begin.push_back(rows.column.size());
    }
  }
  return rows;
}

}  // namespace kindred
