#include "plugin/group_size.h"

#include <chrono>

#include "tests/fixtures/catch.h"

using search_server::GroupSize;
using std::chrono::milliseconds;

TEST_CASE("a group of records that took too long is followed by smaller ones") {
  GroupSize size;
  const auto first = size.records();
  size.took(first, 4 * GroupSize::kTime);
  CHECK(size.records() == first / 2);
  size.took(size.records(), 2 * GroupSize::kTime);
  CHECK(size.records() == first / 4);
  for (int i = 0; i < 50; ++i) size.took(size.records(), 60 * GroupSize::kTime);
  CHECK(size.records() == GroupSize::kLeast);
}

TEST_CASE("a full group that was quick is followed by larger ones") {
  GroupSize size;
  const auto first = size.records();
  size.took(first, GroupSize::kTime / 2);
  CHECK(size.records() == 2 * first);
  for (int i = 0; i < 50; ++i) size.took(size.records(), milliseconds(0));
  CHECK(size.records() == GroupSize::kMost);
}

TEST_CASE("a group that was small because no more records waited says nothing") {
  GroupSize size;
  const auto first = size.records();
  size.took(1, milliseconds(2));
  CHECK(size.records() == first);
}
