#include "tests/bench/tune_collection.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/bench/collection_rows.h"
#include "tests/bench/rcv1_shape.h"

namespace kindred::bench {
namespace {

class Writer {
 public:
  void number(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>(128 + (value & 127));
    bytes_ += static_cast<char>(value);
  }
  void ascending(std::span<const std::uint32_t> values) {
    std::uint32_t last = 0;
    for (const std::uint32_t value : values) {
      number(value - last);
      last = value;
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(kCollectionMagic);
};

/// Names that ascend with their numbers.
StringTable numbered(const std::string& prefix, std::uint32_t count) {
  StringTable names;
  for (std::uint32_t i = 0; i < count; ++i)
    names.push_back(prefix + std::to_string(1000000000ULL + i));
  names.index();
  return names;
}

/// Term -> its place by df, descending.
std::vector<std::uint32_t> ranks_by_df(const Mirror& mirror) {
  std::vector<std::uint32_t> order(mirror.df.size()), ranks(order.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return mirror.df[a] > mirror.df[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

/// A mirror of these documents, whose labels are numbered.
Mirror mirror_of(Csr counts, std::vector<std::uint64_t> label_begin,
                 std::vector<std::uint32_t> label, std::uint32_t labels) {
  const std::uint32_t rows = counts.rows();
  Mirror mirror;
  mirror.df.assign(counts.columns, 0);
  for (const std::uint32_t term : counts.column) ++mirror.df[term];
  mirror.prefixes = {"Z"};
  mirror.vocabulary = numbered("Z", counts.columns);
  mirror.labels.names = numbered("", labels);
  DocumentRows documents;
  documents.docids.resize(rows);
  std::iota(documents.docids.begin(), documents.docids.end(), 1U);
  documents.ids = numbered("", rows);
  documents.tagged = documents.marked = RowSet(rows);
  documents.counts = std::move(counts);
  documents.label_begin = std::move(label_begin);
  documents.label = std::move(label);
  mirror.set_documents(std::move(documents), 0);
  return mirror;
}

}  // namespace

void write_collection(const std::string& path, const Mirror& mirror) {
  const std::vector<std::uint32_t> ranks = ranks_by_df(mirror);
  const Csr counts = mirror.counts.matrix();
  const auto rows = static_cast<std::uint32_t>(mirror.docids.size());
  Writer terms_of_rows, counts_of_rows, out;
  out.number(rows);
  out.number(mirror.df.size());
  out.number(mirror.labels.names.size());
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
    for (std::uint64_t i = counts.row_begin[row]; i < counts.row_begin[row + 1]; ++i)
      entries.emplace_back(ranks[counts.column[i]], counts.count[i]);
    std::sort(entries.begin(), entries.end());
    std::vector<std::uint32_t> terms;
    for (const auto& [term, count] : entries) {
      terms.push_back(term);
      counts_of_rows.number(count);
    }
    terms_of_rows.ascending(terms);
    out.number(terms.size());
  }
  Writer labels;
  for (std::uint32_t row = 0; row < rows; ++row) {
    labels.number(mirror.labels.of(row).size());
    labels.ascending(mirror.labels.of(row));
  }
  std::ofstream file(path, std::ios::binary);
  file << out.bytes();
  for (const Writer* part : {&terms_of_rows, &counts_of_rows, &labels})
    file << std::string_view(part->bytes()).substr(kCollectionMagic.size());
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

Mirror read_collection(const std::string& path) {
  CollectionRows rows = read_collection_rows(path);
  return mirror_of(std::move(rows.counts), std::move(rows.label_begin), std::move(rows.label),
                   rows.labels);
}

Mirror drawn_collection(std::uint32_t rows) {
  constexpr std::uint32_t kLabels = 500;
  Csr counts = rcv1_shape(rows, 1);
  std::vector<std::uint64_t> label_begin{0};
  std::vector<std::uint32_t> label;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t begin = counts.row_begin[row];
    if (begin < counts.row_begin[row + 1]) label.push_back(counts.column[begin] % kLabels);
    label_begin.push_back(label.size());
  }
  return mirror_of(std::move(counts), std::move(label_begin), std::move(label), kLabels);
}

}  // namespace kindred::bench
