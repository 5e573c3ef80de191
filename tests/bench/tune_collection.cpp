#include "tests/bench/tune_collection.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/bench/rcv1_shape.h"

namespace kindred::bench {
namespace {

constexpr std::string_view kMagic = "kindred-tune-1\n";
constexpr std::uint64_t kMost = 0xFFFFFFFF;

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
  std::string bytes_ = std::string(kMagic);
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {
    if (!std::string_view(bytes_).starts_with(kMagic)) refuse();
  }
  std::uint32_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (at_ == bytes_.size()) refuse();
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) break;
    }
    if (value > kMost) refuse();
    return static_cast<std::uint32_t>(value);
  }
  /// Appends this many values, each less than `end`.
  void ascending(std::uint64_t count, std::uint32_t end, std::vector<std::uint32_t>& values) {
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      last += number();
      if (last >= end) refuse();
      values.push_back(static_cast<std::uint32_t>(last));
    }
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::runtime_error("not a collection for tune_bench, or damaged");
  }

  const std::string bytes_;
  std::size_t at_ = kMagic.size();
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

/// Fills in what follows from the counts and the labels.
void finish(Csr counts, Mirror& mirror) {
  const std::uint32_t rows = counts.rows();
  mirror.df.assign(counts.columns, 0);
  for (const std::uint32_t term : counts.column) ++mirror.df[term];
  mirror.labeled = RowSet(rows);
  for (std::uint32_t row = 0; row < rows; ++row)
    if (!mirror.labels.of(row).empty()) mirror.labeled.set(row);
  std::vector<std::uint32_t> docids(rows);
  std::iota(docids.begin(), docids.end(), 1U);
  mirror.docids = std::move(docids);
  mirror.vocabulary = numbered("Z", counts.columns);
  mirror.ids = numbered("", rows);
  mirror.counts = std::move(counts);
}

}  // namespace

void write_collection(const std::string& path, const Mirror& mirror) {
  const std::vector<std::uint32_t> ranks = ranks_by_df(mirror);
  const Csr& counts = mirror.counts.matrix();
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
    file << std::string_view(part->bytes()).substr(kMagic.size());
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

Mirror read_collection(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Reader in({std::istreambuf_iterator<char>(file), {}});
  Mirror mirror;
  const std::uint32_t rows = in.number(), terms = in.number(), labels = in.number();
  Csr counts;
  counts.columns = terms;
  counts.row_begin.assign(1, 0);
  for (std::uint32_t row = 0; row < rows; ++row)
    counts.row_begin.push_back(counts.row_begin.back() + in.number());
  for (std::uint32_t row = 0; row < rows; ++row)
    in.ascending(counts.row_begin[row + 1] - counts.row_begin[row], terms, counts.column);
  for (std::size_t i = 0; i < counts.column.size(); ++i)
    counts.count.push_back(static_cast<std::uint16_t>(std::min(in.number(), kMaxCount)));
  std::vector<std::uint64_t> label_begin{0};
  std::vector<std::uint32_t> label;
  for (std::uint32_t row = 0; row < rows; ++row) {
    in.ascending(in.number(), labels, label);
    label_begin.push_back(label.size());
  }
  mirror.labels.names = numbered("", labels);
  mirror.labels.row_begin = std::move(label_begin);
  mirror.labels.label = std::move(label);
  finish(std::move(counts), mirror);
  return mirror;
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
  Mirror mirror;
  mirror.labels.names = numbered("", kLabels);
  mirror.labels.row_begin = std::move(label_begin);
  mirror.labels.label = std::move(label);
  finish(std::move(counts), mirror);
  return mirror;
}

}  // namespace kindred::bench
