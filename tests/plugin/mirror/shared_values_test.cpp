#include "plugin/mirror/shared_values.h"

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/fixtures/catch.h"

using kindred::SharedValues;

namespace {

std::vector<int> vector_of(const SharedValues<int>& values) {
  return {values.begin(), values.end()};
}

TEST_CASE("a copy keeps its values while the other one grows", "[shared_values]") {
  SharedValues<int> values{1, 2, 3};
  std::vector<std::pair<SharedValues<int>, std::vector<int>>> earlier;
  std::vector<int> expected{1, 2, 3};
  for (int i = 0; i < 500; ++i) {
    earlier.emplace_back(values, expected);
    std::vector<int> more(static_cast<std::size_t>(i % 7));
    std::iota(more.begin(), more.end(), i);
    values.append(more);
    values.push_back(-i);
    expected.insert(expected.end(), more.begin(), more.end());
    expected.push_back(-i);
  }
  CHECK(vector_of(values) == expected);
  CHECK(values.back() == expected.back());
  for (const auto& [copy, own] : earlier) REQUIRE(vector_of(copy) == own);
}

TEST_CASE("copies of one array that grow one after the other do not meet", "[shared_values]") {
  SharedValues<int> values{1};
  values.push_back(2);
  SharedValues<int> first = values, second = values;
  first.push_back(3);
  second.push_back(4);
  values.push_back(5);
  first.push_back(6);
  CHECK(vector_of(first) == std::vector<int>{1, 2, 3, 6});
  CHECK(vector_of(second) == std::vector<int>{1, 2, 4});
  CHECK(vector_of(values) == std::vector<int>{1, 2, 5});
}

TEST_CASE("an array that grows shares its memory with what it was before", "[shared_values]") {
  SharedValues<int> values(std::vector<int>(1000, 7));
  values.push_back(8);  // finds room for more
  const SharedValues<int> before = values;
  values.push_back(9);
  CHECK(before.data() == values.data());
  CHECK(before.size() + 1 == values.size());
  CHECK(values.bytes() < 2 * 1000 * sizeof(int));
  CHECK(SharedValues<int>().empty());
  CHECK(SharedValues<int>{1, 2} == SharedValues<int>(std::vector<int>{1, 2}));
}

}  // namespace
