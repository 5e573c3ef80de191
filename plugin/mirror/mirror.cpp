#include "plugin/mirror/mirror.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kindred {
namespace {

template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

void LabelMatrix::count() {
  documents.assign(names.size(), 0);
  for (const std::uint32_t own : label) ++documents[own];
  order.clear();
  for (std::uint32_t own = 0; own < documents.size(); ++own)
    if (documents[own] > 0) order.push_back(own);
}

void LabelMatrix::count_one(std::uint32_t own) {
  if (documents[own]++ == 0) order.insert(place_of(own), own);
}

void LabelMatrix::discount_one(std::uint32_t own) {
  if (--documents[own] == 0) order.erase(place_of(own));
}

LabelMatrix LabelMatrix::in_byte_order() const {
  LabelMatrix result;
  std::vector<std::uint32_t> number(names.size());
  for (const std::uint32_t own : order) {
    number[own] = result.names.size();
    result.names.push_back(names[own]);
  }
  result.names.index();
  std::vector<std::uint32_t> numbers;
  numbers.reserve(label.size());
  for (const std::uint32_t own : label) numbers.push_back(number[own]);
  for (std::size_t row = 0; row + 1 < row_begin.size(); ++row)
    std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(row_begin[row]),
              numbers.begin() + static_cast<std::ptrdiff_t>(row_begin[row + 1]));
  result.row_begin = row_begin;
  result.label = std::move(numbers);
  result.count();
  return result;
}

/// Where a label stands in the order, or is to stand.
std::vector<std::uint32_t>::iterator LabelMatrix::place_of(std::uint32_t own) {
  return std::lower_bound(order.begin(), order.end(), own,
                          [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
}

std::vector<std::string> LabelMatrix::names_of(std::uint32_t row) const {
  std::vector<std::string> result;
  for (const std::uint32_t number : of(row)) result.emplace_back(names[number]);
  if (!is_in_byte_order()) std::sort(result.begin(), result.end());
  return result;
}

std::size_t Mirror::bytes() const {
  return vocabulary.bytes() + ids.bytes() + labels.names.bytes() + counts.bytes() + bytes_of(df) +
         docids.bytes() + labels.row_begin.bytes() + labels.label.bytes() +
         bytes_of(labels.documents) + bytes_of(labels.order) + gone.bytes() + labeled.bytes() +
         tagged.bytes() + marked.bytes();
}

std::uint32_t Mirror::terms() const {
  return static_cast<std::uint32_t>(df.size()) -
         static_cast<std::uint32_t>(std::count(df.begin(), df.end(), 0));
}

std::optional<std::uint32_t> Mirror::row_of(Xapian::docid docid) const {
  if (docids.empty() || docid < docids[0]) return {};
  // Docids often have no gaps; a search among millions is many cache misses.
  const auto* it = docids.begin() + std::min<std::size_t>(docid - docids[0], docids.size() - 1);
  if (*it != docid) it = std::lower_bound(docids.begin(), it, docid);
  if (*it != docid) return {};
  const auto row = static_cast<std::uint32_t>(it - docids.begin());
  return gone.has(row) ? std::nullopt : std::optional(row);
}

std::optional<std::uint32_t> Mirror::row_with_id(std::string_view id) const {
  const auto row = ids.find(id);
  if (!row || !gone.has(*row)) return row;
  const auto later = ids.find_added(id);
  return later && !gone.has(*later) ? later : std::nullopt;
}

std::optional<std::uint32_t> Mirror::column_of(std::string_view term) const {
  const auto column = vocabulary.find(term);
  return column && df[*column] > 0 ? column : std::nullopt;
}

bool has_same_documents(const Mirror& mirror, const Mirror& before) {
  if (mirror.counts.changes() == before.counts.changes()) return true;
  return mirror.counts.last_change()->rows.empty() && mirror.documents() == before.documents();
}

MirrorChange last_change_of(const Mirror& mirror) {
  const RowChange& rows = *mirror.counts.last_change();
  MirrorChange change;
  change.added = rows.counts.view();
  change.added_labels = rows.labels();
  change.number = rows.rows.data();
  change.dead = mirror.gone.rows() > 0 ? &mirror.gone : nullptr;
  return change;
}

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
