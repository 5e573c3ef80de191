// The contract of gpu/row_set.h, against std::set.
#include "gpu/row_set.h"

#include "tests/fixtures/catch.h"

namespace kindred {
namespace {

using Rows = std::vector<std::uint32_t>;
using Reference = std::set<std::uint32_t>;

constexpr std::size_t kSizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 1000};

RowSet with(std::size_t rows, const Reference& members) {
  RowSet set(rows);
  for (const std::uint32_t row : members) set.set(row);
  return set;
}

Reference random_members(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Reference members;
  for (std::uint32_t row = 0; row < rows; ++row)
    if (random() % 3 == 0) members.insert(row);
  return members;
}

Rows below(const Reference& members, std::size_t rows) {
  Rows result(members.begin(), members.end());
  std::erase_if(result, [&](std::uint32_t row) { return row >= rows; });
  return result;
}

TEST_CASE("a set of rows begins with none or with all of them") {
  for (const std::size_t rows : kSizes) {
    CAPTURE(rows);
    const RowSet none(rows), all = RowSet::all(rows);
    CHECK(none.rows() == rows);
    CHECK(none.count() == 0);
    CHECK(none.to_vector().empty());
    CHECK(all.rows() == rows);
    CHECK(all.count() == rows);
    CHECK(all.to_vector().size() == rows);
    for (std::size_t row = 0; row < rows; ++row) {
      CHECK(!none.has(row));
      CHECK(all.has(row));
    }
  }
  CHECK(RowSet() == RowSet(0));
}

TEST_CASE("a row that is not covered is in no set") {
  for (const std::size_t rows : kSizes) {
    CAPTURE(rows);
    const RowSet all = RowSet::all(rows);
    for (const std::size_t past : {rows, rows + 1, rows + 64, std::size_t{UINT32_MAX}})
      CHECK(!all.has(past));
  }
}

TEST_CASE("rows come and go one by one, and are listed in order") {
  for (const std::size_t rows : kSizes) {
    CAPTURE(rows);
    Reference members = random_members(rows, rows);
    RowSet set = with(rows, members);
    CHECK(set.to_vector() == below(members, rows));
    CHECK(set.count() == members.size());
    for (std::uint32_t row = 0; row < rows; row += 2) {
      set.reset(row);
      members.erase(row);
    }
    for (std::uint32_t row = 0; row < rows; row += 5) {
      set.set(row);
      members.insert(row);
    }
    Rows visited;
    set.for_each([&](std::uint32_t row) { visited.push_back(row); });
    CHECK(visited == below(members, rows));
    CHECK(set == with(rows, members));
    for (std::uint32_t row = 0; row < rows; ++row) CHECK(set.has(row) == members.contains(row));
  }
}

TEST_CASE("sets are intersected and subtracted, whichever covers more rows") {
  for (const std::size_t rows : kSizes)
    for (const std::size_t others : kSizes) {
      CAPTURE(rows, others);
      const Reference a = random_members(rows, 1), b = random_members(others, 2);
      Rows both, rest;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
      const RowSet other = with(others, b);
      RowSet intersection = with(rows, a), less = intersection;
      CHECK((intersection &= other) == with(rows, {both.begin(), both.end()}));
      CHECK((less -= other) == with(rows, {rest.begin(), rest.end()}));
    }
}

TEST_CASE("a set that grows keeps its rows and gains none") {
  for (const std::size_t rows : kSizes)
    for (const std::size_t more : {std::size_t{0}, std::size_t{1}, std::size_t{64}}) {
      CAPTURE(rows, more);
      RowSet set = RowSet::all(rows);
      set.grow(rows + more);
      CHECK(set.rows() == rows + more);
      CHECK(set.count() == rows);
    }
}

TEST_CASE("rows of another set are appended bit by bit") {
  for (const std::size_t rows : kSizes)
    for (const std::size_t begin : {0u, 1u, 63u, 64u, 100u})
      for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 150u}) {
        CAPTURE(rows, begin, count);
        const RowSet other = with(130, {1, 2, 62, 63, 64, 65, 99, 127, 128, 129});
        RowSet set = RowSet::all(rows), expected = set;
        expected.grow(rows + count);
        for (std::size_t i = 0; i < count; ++i)
          if (other.has(begin + i)) expected.set(rows + i);
        set.append(other, begin, begin + count);
        CHECK(set == expected);
      }
}

TEST_CASE("kernels get 64 rows a word, and nothing past the last row") {
  RowSet set(70);
  set.set(0), set.set(63), set.set(64), set.set(69);
  REQUIRE(set.words().size() == 2);
  CHECK(set.words()[0] == 0x8000000000000001u);
  CHECK(set.words()[1] == 0b100001u);
  CHECK(RowSet::all(70).words()[1] == 0b111111u);
  CHECK(set.bytes() == 16);
  CHECK(RowSet(0).words().empty());
}

}  // namespace
}  // namespace kindred
