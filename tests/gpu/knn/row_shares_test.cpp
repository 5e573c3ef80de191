#include "gpu/knn/row_shares.h"

#include "tests/fixtures/catch.h"

namespace kindred {
namespace {

using Cost = std::vector<std::uint32_t>;

TEST_CASE("rows are shared so that the costliest share is as cheap as can be", "[row_shares]") {
  CHECK(share_rows(Cost{1, 2, 3, 4, 5}, 2) == Cost{0, 3, 5});
  CHECK(share_rows(Cost{9, 1, 1, 1, 9}, 3) == Cost{0, 1, 4, 5});
  CHECK(largest_share(Cost{9, 1, 1, 1, 9}, Cost{0, 1, 4, 5}) == 9);
}

TEST_CASE("shares beside the costliest one are alike", "[row_shares]") {
  Cost cost(13, 1);
  cost[0] = 6;
  CHECK(share_rows(cost, 5) == Cost{0, 1, 4, 7, 10, 13});
  cost = {6, 1, 1, 6, 1, 1, 6};  // to give each share its part would leave too few for the last
  CHECK(largest_share(cost, share_rows(cost, 3)) == 8);
}

TEST_CASE("there may be fewer rows than shares, and none", "[row_shares]") {
  CHECK(share_rows(Cost{4, 4}, 4) == Cost{0, 1, 2, 2, 2});
  CHECK(share_rows(Cost{}, 2) == Cost{0, 0, 0});
  CHECK(share_rows(Cost{0, 0, 0}, 2).back() == 3);
}

TEST_CASE("every row is in one share, and no other cut of a few rows is better", "[row_shares]") {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    Cost cost(1 + random() % 9);
    for (std::uint32_t& own : cost) own = static_cast<std::uint32_t>(random() % 20);
    const Cost begin = share_rows(cost, 3);
    REQUIRE(begin.size() == 4);
    CHECK(begin.front() == 0);
    CHECK(std::is_sorted(begin.begin(), begin.end()));
    CHECK(begin.back() == cost.size());
    const auto rows = static_cast<std::uint32_t>(cost.size());
    std::uint64_t best = largest_share(cost, Cost{0, rows, rows, rows});
    for (std::uint32_t first = 0; first < rows; ++first)
      for (std::uint32_t second = first; second < rows; ++second)
        best = std::min(best, largest_share(cost, Cost{0, first, second, rows}));
    CHECK(largest_share(cost, begin) == best);
  }
}

}  // namespace
}  // namespace kindred
