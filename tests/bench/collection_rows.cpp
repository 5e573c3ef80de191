#include "tests/bench/collection_rows.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace kindred::bench {
namespace {

constexpr std::uint64_t kMost = 0xFFFFFFFF;

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {
    if (!std::string_view(bytes_).starts_with(kCollectionMagic)) refuse();
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
    throw std::runtime_error("not a file of tune_export, or damaged");
  }

  const std::string bytes_;
  std::size_t at_ = kCollectionMagic.size();
};

}  // namespace

CollectionRows read_collection_rows(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Reader in({std::istreambuf_iterator<char>(file), {}});
  CollectionRows collection;
  Csr& counts = collection.counts;
  const std::uint32_t rows = in.number();
  counts.columns = in.number();
  collection.labels = in.number();
  counts.row_begin.assign(1, 0);
  for (std::uint32_t row = 0; row < rows; ++row)
    counts.row_begin.push_back(counts.row_begin.back() + in.number());
  for (std::uint32_t row = 0; row < rows; ++row)
    in.ascending(counts.row_begin[row + 1] - counts.row_begin[row], counts.columns, counts.column);
  for (std::size_t i = 0; i < counts.column.size(); ++i)
    counts.count.push_back(static_cast<std::uint16_t>(std::min(in.number(), kMaxCount)));
  for (std::uint32_t row = 0; row < rows; ++row) {
    in.ascending(in.number(), collection.labels, collection.label);
    collection.label_begin.push_back(collection.label.size());
  }
  return collection;
}

std::vector<std::uint32_t> spread_rows(const Csr& csr, std::uint32_t n) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < csr.rows(); row += std::max(csr.rows() / n, 1u))
    rows.push_back(row);
  return rows;
}

Csr rows_of(const Csr& csr, const std::vector<std::uint32_t>& rows) {
  Csr some;
  some.columns = csr.columns;
  for (const std::uint32_t row : rows) {
    const auto begin = static_cast<std::ptrdiff_t>(csr.row_begin[row]);
    const auto end = static_cast<std::ptrdiff_t>(csr.row_begin[row + std::size_t{1}]);
    some.column.insert(some.column.end(), csr.column.begin() + begin, csr.column.begin() + end);
    some.count.insert(some.count.end(), csr.count.begin() + begin, csr.count.begin() + end);
    some.row_begin.push_back(some.column.size());
  }
  return some;
}

}  // namespace kindred::bench
