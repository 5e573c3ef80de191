#include "plugin/mirror/mirror.h"

#include <algorithm>

namespace kindred {
namespace {

template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

std::vector<std::string> LabelMatrix::names_of(std::uint32_t row) const {
  std::vector<std::string> result;
  for (const std::uint32_t number : of(row)) result.emplace_back(names[number]);
  return result;
}

std::size_t Mirror::bytes() const {
  return vocabulary.bytes() + ids.bytes() + labels.names.bytes() + bytes_of(counts.row_begin) +
         bytes_of(counts.column) + bytes_of(counts.count) + bytes_of(df) + bytes_of(docids) +
         bytes_of(labels.row_begin) + bytes_of(labels.label) + labeled.bytes() + tagged.bytes() +
         marked.bytes();
}

std::optional<std::uint32_t> Mirror::row_of(Xapian::docid docid) const {
  const auto it = std::lower_bound(docids.begin(), docids.end(), docid);
  if (it == docids.end() || *it != docid) return {};
  return static_cast<std::uint32_t>(it - docids.begin());
}

}  // namespace kindred
