// The contract of gpu/knn/neighbor_merger.h: what shards found, in the order of the whole.
#include "gpu/knn/neighbor_merger.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/fixtures/catch.h"

namespace kindred {
namespace {

/// Shards whose rows are in runs that take turns, or together, and what they found.
struct DrawnShards {
  std::vector<ShardRows> rows;
  std::vector<std::vector<Neighbor>> found;
  std::vector<Neighbor> all;  ///< by their numbers in the mirror, best first

  std::vector<ShardNeighbors> lists() const {
    std::vector<ShardNeighbors> result;
    for (std::size_t i = 0; i < rows.size(); ++i) result.push_back({found[i], &rows[i]});
    return result;
  }
};

bool is_better(const Neighbor& a, const Neighbor& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.row < b.row;
}

/// `similarities`: how many different ones there are.
DrawnShards draw(std::size_t shards, std::size_t k, std::size_t runs, std::uint32_t similarities,
                 std::mt19937_64& random) {
  DrawnShards drawn;
  drawn.rows.resize(shards);
  drawn.found.resize(shards);
  std::uint32_t number = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    for (ShardRows& rows : drawn.rows) {
      const auto count = static_cast<std::uint32_t>(random() % 200);
      rows.append(number, count);
      number += count;
    }
  }
  for (std::size_t i = 0; i < shards; ++i) {
    std::vector<Neighbor>& own = drawn.found[i];
    for (std::uint32_t row = 0; row < drawn.rows[i].size(); ++row) {
      const auto level = static_cast<std::uint32_t>(random() % (similarities + 1));
      if (level > 0) own.push_back({row, static_cast<float>(level) / 1e6F});
    }
    std::ranges::sort(own, is_better);
    own.resize(std::min(k, std::max<std::size_t>(1, drawn.rows[i].size())));
    for (const Neighbor& neighbor : own)
      if (neighbor.row != Neighbor::kNoRow)
        drawn.all.push_back({drawn.rows[i].number_of(neighbor.row), neighbor.similarity});
  }
  std::ranges::sort(drawn.all, is_better);
  drawn.all.resize(k);
  return drawn;
}

TEST_CASE("what shards found is merged by similarity, then row") {
  const auto shards = GENERATE(as<std::size_t>{}, 1, 2, 3, 4, 5, 8, 9, 16, 17);
  const auto k = GENERATE(as<std::size_t>{}, 1, 2, 10, 45, 300);
  const auto runs = GENERATE(as<std::size_t>{}, 0, 1, 2, 7);
  const auto similarities = GENERATE(as<std::uint32_t>{}, 0, 1, 3, 1000000);
  CAPTURE(shards, k, runs, similarities);
  std::mt19937_64 random(shards + 100 * k + runs);
  NeighborMerger merger;
  for (int i = 0; i < 3; ++i) {  // one after the other, with the same memory
    const DrawnShards drawn = draw(shards, k, runs, similarities, random);
    std::vector<Neighbor> merged(k, Neighbor{7, 7});
    merger.merge(drawn.lists(), merged);
    CHECK(merged == drawn.all);
  }
}

TEST_CASE("one shard may have all that is best") {
  const auto shards = GENERATE(as<std::size_t>{}, 2, 3, 8);
  std::vector<ShardRows> rows(shards);
  std::vector<std::vector<Neighbor>> found(shards);
  std::vector<ShardNeighbors> lists;
  for (std::uint32_t i = 0; i < shards; ++i) {
    rows[i].append(1000 * i, 1000);
    for (std::uint32_t row = 0; row < 60; ++row)
      found[i].push_back({row, (i == 1 ? .5F : .25F) - static_cast<float>(row) / 1024});
    lists.push_back({found[i], &rows[i]});
  }
  std::vector<Neighbor> merged(60);
  NeighborMerger().merge(lists, merged);
  for (std::uint32_t row = 0; row < 60; ++row)
    CHECK(merged[row] == Neighbor{1000 + row, .5F - static_cast<float>(row) / 1024});
}

}  // namespace
}  // namespace kindred
