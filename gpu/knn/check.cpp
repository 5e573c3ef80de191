#include "gpu/knn/check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& fault) { throw Error(Errc::kInvalidArgument, fault); }

[[noreturn]] void refuse_query(std::size_t q, const std::string& fault) {
  refuse("query " + std::to_string(q) + " " + fault);
}

bool ascends(const std::uint32_t* value, std::uint64_t begin, std::uint64_t end) {
  bool fault = false;  // without a branch: this becomes vector code
  for (std::uint64_t i = begin + 1; i < end; ++i) fault |= value[i] <= value[i - 1];
  return !fault;
}

void check_covers(const RowSet* set, std::uint64_t rows, const char* what) {
  if (set != nullptr && set->rows() < rows)
    refuse(std::string("the set of ") + what + " rows covers fewer rows than the mirror has");
}

void check_values(const std::vector<double>& values, const char* what) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && std::isfinite(values[i])))
      refuse(std::string("mirror: ") + what + "[" + std::to_string(i) +
             "] is negative or not finite");
}

}  // namespace

std::size_t answer_size(std::size_t rows, std::size_t each, std::size_t item_bytes) {
  if (each == 0) refuse("0 is asked for each query; expected at least 1");
  if (each > PTRDIFF_MAX / item_bytes / (rows + 1))
    throw Error(Errc::kOutOfMemory,
                std::to_string(each) + " for each query is more than memory could hold");
  return rows * each;
}

void check_offsets(const QueryView& queries) {
  if (queries.rows == 0) return;
  if (queries.row_begin == nullptr || queries.row_begin[0] != queries.begin)
    refuse("the offsets of the queries do not begin with " + std::to_string(queries.begin));
  for (std::size_t q = 0; q < queries.rows; ++q)
    if (queries.row_begin[q + 1] < queries.row_begin[q]) refuse_query(q, "ends before it begins");
  if (queries.row_begin[queries.rows] > queries.begin &&
      (queries.weight == nullptr) == (queries.count == nullptr))
    refuse("queries have either weights or counts");
}

void check_queries(const QueryView& queries, std::uint32_t columns) {
  check_offsets(queries);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    const std::uint64_t begin = queries.row_begin[q], end = queries.row_begin[q + 1];
    if (begin == end) continue;
    if (!ascends(queries.term, begin, end)) refuse_query(q, "has terms that do not ascend");
    const std::uint32_t last = queries.term[end - 1];
    if (last >= columns)
      refuse_query(q, "names term " + std::to_string(last) + ", but the mirror has only " +
                          std::to_string(columns));
  }
}

void check_nearest(MirrorSize mirror, const QueryView& queries, std::size_t k,
                   const RowSet* allowed, std::size_t size) {
  if (size != answer_size(queries.rows, k, sizeof(Neighbor)))
    refuse("there is room for " + std::to_string(size) + " neighbors; expected " +
           std::to_string(queries.rows) + " x " + std::to_string(k));
  check_covers(allowed, mirror.rows, "allowed");
  check_offsets(queries);
}

void check_vote(MirrorSize mirror, const QueryView& queries, const Vote& vote, std::size_t size) {
  answer_size(queries.rows, vote.k, sizeof(Neighbor));
  if (size != answer_size(queries.rows, vote.labels, sizeof(LabelShare)))
    refuse("there is room for " + std::to_string(size) + " shares; expected " +
           std::to_string(queries.rows) + " x " + std::to_string(vote.labels));
  if (!vote.exclude.empty() && vote.exclude.size() != queries.rows)
    refuse(std::to_string(vote.exclude.size()) + " rows to exclude come with " +
           std::to_string(queries.rows) + " queries");
  check_covers(vote.voters, mirror.rows, "voting");
  check_offsets(queries);
}

void check_weighting(const TermWeighting& weighting, std::uint32_t columns) {
  if (weighting.idf.size() != columns)
    refuse("mirror: " + std::to_string(columns) + " terms, but " +
           std::to_string(weighting.idf.size()) + " values of idf");
  check_values(weighting.idf, "idf");
  check_values(weighting.tf, "tf");
}

namespace {

void check_labels_of_rows(LabelView labels, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t row = first; row < last; ++row) {
    const std::uint64_t begin = labels.row_begin[row], end = labels.row_begin[row + std::size_t{1}];
    if (begin == end) continue;
    if (labels.label == nullptr || !ascends(labels.label, begin, end))
      refuse("the labels of row " + std::to_string(row) + " do not ascend");
    if (labels.label[end - 1] == LabelShare::kNoLabel)
      refuse("a label of row " + std::to_string(row) + " is " +
             std::to_string(LabelShare::kNoLabel) + ", which stands for no label");
  }
}

}  // namespace

void check_labels(LabelView labels, std::uint32_t rows, std::size_t threads) {
  if (labels.rows == 0) return;
  if (labels.rows != rows)
    refuse("labels of " + std::to_string(labels.rows) + " rows come with " + std::to_string(rows) +
           " rows");
  if (labels.row_begin == nullptr || labels.row_begin[0] != 0)
    refuse("the offsets of the labels do not begin with 0");
  for (std::uint32_t row = 0; row < rows; ++row)
    if (labels.row_begin[row + std::size_t{1}] < labels.row_begin[row])
      refuse("the labels of row " + std::to_string(row) + " end before they begin");
  constexpr std::uint32_t kRowsAtOnce = 1 << 15;
  for_each_chunk(rows, kRowsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
    check_labels_of_rows(labels, begin, end);
  });
}

namespace {

/// How many rows of `change` replace one of a mirror of `rows` rows, if all numbers are as
/// promised.
std::uint32_t count_replaced(std::uint32_t rows, const MirrorChange& change) {
  if (change.number == nullptr) return 0;
  const std::uint32_t* const end = change.number + change.added.rows;
  return static_cast<std::uint32_t>(std::lower_bound(change.number, end, rows) - change.number);
}

void check_numbers(std::uint32_t rows, const MirrorChange& change) {
  if (change.number == nullptr) return;
  const std::uint32_t added = change.added.rows;
  if (!ascends(change.number, 0, added)) refuse("the numbers of replaced rows do not ascend");
  const std::uint32_t replaced = count_replaced(rows, change);
  if (replaced == added) return;
  // They ascend, so the first and the last tell whether there is a gap.
  const std::uint64_t last = std::uint64_t{rows} + (added - replaced) - 1;
  if (change.number[replaced] != rows || change.number[added - std::size_t{1}] != last)
    refuse("rows " + std::to_string(change.number[replaced]) + " to " +
           std::to_string(change.number[added - std::size_t{1}]) + " are added; expected " +
           std::to_string(rows) + " to " + std::to_string(last));
}

}  // namespace

MirrorSize size_after(MirrorSize mirror, const MirrorChange& change) {
  const std::uint32_t more = change.added.rows - count_replaced(mirror.rows, change);
  return {mirror.rows + more, std::max(mirror.columns, change.added.columns)};
}

void check_change(MirrorSize mirror, const MirrorChange& change, std::size_t threads) {
  check_numbers(mirror.rows, change);
  const std::uint64_t rows =
      std::uint64_t{mirror.rows} + change.added.rows - count_replaced(mirror.rows, change);
  if (rows > UINT32_MAX)
    refuse("the mirror would have " + std::to_string(rows) + " rows; at most 2^32 - 1 are");
  if (change.added.rows > 0 && change.added.columns < mirror.columns)
    refuse("rows of " + std::to_string(change.added.columns) + " columns are added to " +
           std::to_string(mirror.columns));
  check_labels(change.added_labels, change.added.rows, threads);
  check_covers(change.dead, rows, "dead");
}

}  // namespace kindred
