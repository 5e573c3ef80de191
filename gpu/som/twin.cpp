#include "gpu/som/twin.h"

#include <algorithm>
#include <functional>

namespace kindred {
namespace {

/// Values that go from one twin to another at once, by way of the host.
constexpr std::size_t kValuesAtOnce = std::size_t{1} << 22;

/// Calls move(first column, [columns, units] values) for columns [first, last), some at a time.
template <typename T, typename Move>
void by_columns(std::uint32_t units, std::uint32_t first, std::uint32_t last, Move&& move) {
  // At least one column at a time, and at most all.
  const auto at_once =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(kValuesAtOnce / units, 1, last - first));

  std::vector<T> values;
  for (std::uint32_t column = first; column < last; column += at_once) {
    values.resize(std::size_t{std::min(at_once, last - column)} * units);
    move(column, std::span<T>(values));
  }
}

}  // namespace

void SomTwin::add_sums(const SomTwin& other, std::uint32_t first, std::uint32_t last) {
  // No twin knows the memory of another kind, so sums go by way of the host.
  std::vector<std::int64_t> own;
  by_columns<std::int64_t>(units(), first, last, [&](std::uint32_t column, auto sums) {
    own.resize(sums.size());
    read_sums(column, own);
    other.read_sums(column, sums);
    std::transform(own.begin(), own.end(), sums.begin(), own.begin(), std::plus<>());
    write_sums(column, own);
  });
}

void SomTwin::copy_weights(const SomTwin& other, std::uint32_t first, std::uint32_t last) {
  by_columns<float>(units(), first, last, [&](std::uint32_t column, auto weights) {
    other.read_weights(column, weights);
    write_weights(column, weights);
  });
}

}  // namespace kindred
