// Clusters of labels by average linkage.
#include "plugin/evaluate/linkage.h"

#include <limits>
#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

TEST_CASE("average linkage joins the nearest clusters, by the mean over their pairs") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> distances = {
      {kNone, 6, 2, 9}, {6, 0, 4, 3}, {2, 4, 0, 5}, {9, 3, 5, kNone}};
  const std::vector<ClusterMerge> merges = average_linkage(distances);
  REQUIRE(merges.size() == 3);
  CHECK((merges[0].first == 0 && merges[0].second == 2 && merges[0].distance == 2));
  CHECK((merges[1].first == 1 && merges[1].second == 3 && merges[1].distance == 3));
  CHECK((merges[2].first == 4 && merges[2].second == 5 && merges[2].distance == 6));  // of 6 9 4 5
  CHECK(leaf_order(merges, 4) == std::vector<std::size_t>{0, 2, 1, 3});
}

TEST_CASE(
    "a cluster of two counts twice where it is joined, and an unknown distance is the largest") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<ClusterMerge> merges =
      average_linkage({{0, 1, 4, kNone}, {1, 0, 2, 8}, {4, 2, 0, 5}, {kNone, 8, 5, 0}});
  REQUIRE(merges.size() == 3);
  CHECK(merges[1].distance == 3);
  CHECK(merges[2].distance == 7);  // (8 + 8 + 5) / 3
}

TEST_CASE("ties go to the lowest items, and fewer than two items make no tree") {
  const std::vector<ClusterMerge> merges = average_linkage({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}});
  REQUIRE(merges.size() == 2);
  CHECK((merges[0].first == 0 && merges[0].second == 1));
  CHECK((merges[1].first == 3 && merges[1].second == 2));
  CHECK(average_linkage({{0}}).empty());
  CHECK(leaf_order({}, 1) == std::vector<std::size_t>{0});
  CHECK(leaf_order(average_linkage({}), 0).empty());
}
