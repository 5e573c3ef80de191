#include "plugin/ranks/collective.h"

#include <cstring>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

constexpr std::uint64_t kUp = 0, kDown = 1;  // to rank 0, and from there

std::string bytes_of(std::span<const std::int64_t> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void add(std::span<std::int64_t> values, const std::string& bytes) {
  if (bytes.size() != values.size_bytes())
    throw Error(Errc::kInternal, "ranks add up different numbers of values");
  std::vector<std::int64_t> others(values.size());
  if (!bytes.empty()) std::memcpy(others.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i];
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

void add_up(Ranks& ranks, std::span<std::int64_t> values) {
  const std::vector<std::string> all = gather(ranks, bytes_of(values));
  for (std::size_t from = 1; from < all.size(); ++from) add(values, all[from]);
  const std::string sums = broadcast(ranks, bytes_of(values));
  if (!sums.empty()) std::memcpy(values.data(), sums.data(), sums.size());
}

void wait_for_all(Ranks& ranks) {
  gather(ranks, "");
  broadcast(ranks, "");
}

}  // namespace kindred
