#include "plugin/mirror/mirror_sample.h"

#include <utility>
#include <vector>

namespace kindred {
namespace {

/// New numbers, in the same order, for those of `count` things that were marked as used.
class Renumbering {
 public:
  explicit Renumbering(std::size_t count) : number_(count, 0) {}

  void use(std::span<const std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers) number_[number] = 1;
  }
  /// Gives each used thing its number, and appends its name to the result.
  StringTable settle(const StringTable& names) {
    StringTable kept;
    for (std::uint32_t i = 0; i < number_.size(); ++i) {
      if (number_[i] == 0) continue;
      number_[i] = kept.size();
      kept.push_back(names[i]);
    }
    kept.index();
    return kept;
  }
  std::uint32_t operator[](std::uint32_t number) const { return number_[number]; }

 private:
  std::vector<std::uint32_t> number_;
};

LabelMatrix labels_of(const LabelMatrix& labels, std::span<const std::uint32_t> rows) {
  Renumbering number(labels.names.size());
  for (const std::uint32_t row : rows) number.use(labels.of(row));
  LabelMatrix result;
  result.names = number.settle(labels.names);
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> label;
  for (const std::uint32_t row : rows) {
    for (const std::uint32_t own : labels.of(row)) label.push_back(number[own]);
    begin.push_back(label.size());
  }
  result.row_begin = std::move(begin);
  result.label = std::move(label);
  result.count();
  return result;
}

}  // namespace

Mirror mirror_sample(const Mirror& mirror, std::span<const std::uint32_t> rows) {
  Mirror sample;
  sample.prefixes = mirror.prefixes;
  sample.set_revision(mirror);
  sample.agrees = mirror.agrees;
  sample.has_ids = mirror.has_ids;
  sample.labels = labels_of(mirror.labels, rows);
  sample.labeled = sample.tagged = sample.marked = RowSet(rows.size());
  Renumbering column(mirror.counts.columns());
  for (const std::uint32_t row : rows) column.use(mirror.counts[row].columns);
  sample.vocabulary = column.settle(mirror.vocabulary);
  sample.df.assign(sample.vocabulary.size(), 0);
  Csr counts;
  counts.columns = sample.vocabulary.size();
  counts.row_begin.assign(1, 0);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const RowCounts::Row from = mirror.counts[rows[i]];
    for (const std::uint32_t term : from.columns) {
      counts.column.push_back(column[term]);
      ++sample.df[column[term]];
    }
    counts.count.insert(counts.count.end(), from.counts.begin(), from.counts.end());
    counts.row_begin.push_back(counts.column.size());
    sample.docids.push_back(mirror.docids[rows[i]]);
    sample.ids.push_back(mirror.ids[rows[i]]);
    if (!sample.labels.of(i).empty()) sample.labeled.set(i);
  }
  sample.ids.index();
  sample.counts = std::move(counts);
  return sample;
}

}  // namespace kindred
