#include "plugin/ranks/collective.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/ranks/packed.h"
#include "plugin/ranks/sparse_values.h"

namespace kindred {
namespace {

constexpr std::uint64_t kUp = 0, kDown = 1;  // to rank 0, and from there

/// Joins the values of all ranks by join(value, other).
template <typename Join>
void reduce(Ranks& ranks, std::span<std::int64_t> values, Join join) {
  const auto join_all = [&](std::string_view bytes, auto&& joined) {
    const auto others = unpack<std::int64_t>(bytes);
    if (others.size() != values.size())
      throw Error(Errc::kInternal, "ranks join different numbers of values");
    std::transform(values.begin(), values.end(), others.begin(), values.begin(), joined);
  };
  std::string own;
  pack(std::span<const std::int64_t>(values), own);
  const std::vector<std::string> all = gather(ranks, own);
  for (std::size_t from = 1; from < all.size(); ++from) join_all(all[from], join);
  own.clear();
  pack(std::span<const std::int64_t>(values), own);
  const std::string joined = broadcast(ranks, ranks.rank() == 0 ? own : "");
  join_all(joined, [](std::int64_t, std::int64_t of_all) { return of_all; });
}

/// How the blocks of many values are divided among ranks.
class BlockShares {
 public:
  BlockShares(const Ranks& ranks, const ValueBlocks& values)
      : ranks_(ranks.size()),
        values_(values),
        blocks_(number_of_chunks(values.count, values.at_once)),
        buffer_(std::min(values.count, values.at_once)) {}

  /// Calls work(first value, room for the values) for each block of a rank.
  template <typename Work>
  void each_block(std::size_t rank, Work&& work) {
    for (std::size_t b = blocks_ * rank / ranks_; b < blocks_ * (rank + 1) / ranks_; ++b) {
      const std::size_t first = b * values_.at_once;
      work(first, std::span(buffer_).first(std::min(values_.at_once, values_.count - first)));
    }
  }

 private:
  const std::size_t ranks_;
  const ValueBlocks& values_;
  const std::size_t blocks_;
  std::vector<std::int64_t> buffer_;
};

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

std::vector<std::string> exchange(Ranks& ranks, std::vector<std::string> to) {
  const std::uint64_t channel = channel_of(ranks.next_step(), kUp);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const std::size_t other = (ranks.rank() + i) % ranks.size();
    ranks.send(other, channel, std::move(to[other]));
  }
  std::vector<std::string> all(ranks.size());
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    RankMessage message = ranks.receive(channel);
    all[message.from] = std::move(message.bytes);
  }
  return all;
}

void add_up(Ranks& ranks, std::span<std::int64_t> values) { reduce(ranks, values, std::plus<>()); }

void take_largest(Ranks& ranks, std::span<std::int64_t> values) {
  reduce(ranks, values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

void add_up(Ranks& ranks, const ValueBlocks& values) {
  BlockShares shares(ranks, values);
  std::vector<std::string> parts(ranks.size());
  for (std::size_t other = 0; other < ranks.size(); ++other) {
    if (other == ranks.rank()) continue;
    shares.each_block(other, [&](std::size_t first, std::span<std::int64_t> block) {
      values.read(first, block);
      append_values(block, parts[other]);
    });
  }
  const std::vector<std::string> found = exchange(ranks, std::move(parts));
  std::vector<std::string_view> left(found.begin(), found.end());
  std::string sums;
  shares.each_block(ranks.rank(), [&](std::size_t first, std::span<std::int64_t> block) {
    values.read(first, block);
    for (std::size_t other = 0; other < left.size(); ++other)
      if (other != ranks.rank()) add_values(left[other], block);
    values.write(first, block);
    append_values(block, sums);
  });
  const auto all = exchange(ranks, std::vector<std::string>(ranks.size(), sums));
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (other == ranks.rank()) continue;
    std::string_view bytes = all[other];
    shares.each_block(other, [&](std::size_t first, std::span<std::int64_t> block) {
      std::fill(block.begin(), block.end(), 0);
      add_values(bytes, block);
      values.write(first, block);
    });
  }
}

void wait_for_all(Ranks& ranks) {
  gather(ranks, "");
  broadcast(ranks, "");
}

}  // namespace kindred
