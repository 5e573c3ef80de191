#include "plugin/ranks/collective.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "config/error.h"
#include "plugin/ranks/sparse_values.h"

namespace kindred {
namespace {

constexpr std::uint64_t kUp = 0, kDown = 1;  // to rank 0, and from there

/// Joins the values of all ranks by join(value, other), at rank 0 in the order of ranks.
template <typename Join>
void reduce(Ranks& ranks, std::span<std::int64_t> values, Join join) {
  const std::vector<std::string> all = gather(ranks, packed_values(values));
  std::vector<std::int64_t> others(all.empty() ? 0 : values.size());
  for (std::size_t from = 1; from < all.size(); ++from) {
    unpack_values(all[from], others);
    std::transform(values.begin(), values.end(), others.begin(), values.begin(), join);
  }
  const bool is_first = ranks.rank() == 0;
  const std::string joined = broadcast(ranks, is_first ? packed_values(values) : "");
  if (!is_first) unpack_values(joined, values);
}

}  // namespace

std::string broadcast(Ranks& ranks, std::string bytes) {
  const std::uint64_t step = ranks.next_step();
  if (ranks.rank() != 0) return ranks.receive(channel_of(step, kDown)).bytes;
  for (std::size_t to = 1; to < ranks.size(); ++to) ranks.send(to, channel_of(step, kDown), bytes);
  return bytes;
}

std::vector<std::string> gather(Ranks& ranks, std::string bytes) {
  const std::uint64_t step = ranks.next_step();
  if (ranks.rank() != 0) {
    ranks.send(0, channel_of(step, kUp), std::move(bytes));
    return {};
  }
  std::vector<std::string> all(ranks.size());
  all[0] = std::move(bytes);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    RankMessage message = ranks.receive(channel_of(step, kUp));
    all[message.from] = std::move(message.bytes);
  }
  return all;
}

void add_up(Ranks& ranks, std::span<std::int64_t> values) { reduce(ranks, values, std::plus<>()); }

void take_largest(Ranks& ranks, std::span<std::int64_t> values) {
  reduce(ranks, values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

void wait_for_all(Ranks& ranks) {
  gather(ranks, "");
  broadcast(ranks, "");
}

}  // namespace kindred
