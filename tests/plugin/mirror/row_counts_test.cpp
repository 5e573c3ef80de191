#include "plugin/mirror/row_counts.h"

#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/random_csr.h"

using kindred::Csr;
using kindred::RowChange;
using kindred::RowCounts;
using kindred::RowSet;

namespace {

/// A row as pairs of column and count.
using Entries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Entries entries_of(const RowCounts::Row& row) {
  Entries entries;
  for (std::size_t i = 0; i < row.size(); ++i) entries.emplace_back(row.columns[i], row.counts[i]);
  return entries;
}

std::uint32_t below(std::mt19937& draw, std::uint32_t n) {
  return static_cast<std::uint32_t>(draw() % n);
}

/// Counts, and the rows that they must have.
struct Expected {
  RowCounts counts;
  std::vector<Entries> rows;
  RowSet gone;

  explicit Expected(const Csr& matrix) : counts(matrix) {
    for (std::uint32_t row = 0; row < matrix.rows(); ++row) rows.push_back(entries_of(counts[row]));
  }

  void change(std::mt19937& draw) {
    std::map<std::uint32_t, Entries> written;
    const auto size = static_cast<std::uint32_t>(rows.size());
    for (auto i = below(draw, 5); i > 0; --i) written[below(draw, size)];
    for (auto added = below(draw, 3); added > 0; --added) written[size + added - 1];
    auto change = std::make_shared<RowChange>();
    change->counts.columns = 100;
    for (auto& [row, entries] : written) {
      for (auto column = below(draw, 9); column < 100; column += 1 + below(draw, 30))
        entries.emplace_back(column, 1 + below(draw, 9));
      for (const auto& [column, count] : entries) {
        change->counts.column.push_back(column);
        change->counts.count.push_back(static_cast<std::uint16_t>(count));
      }
      change->counts.row_begin.push_back(change->counts.column.size());
      change->rows.push_back(row);
    }
    rows.resize(std::max<std::size_t>(size, written.empty() ? 0 : written.rbegin()->first + 1));
    gone.grow(rows.size());
    for (auto i = below(draw, 3); i > 0; --i) gone.set(below(draw, size));
    for (auto& [row, entries] : written) {
      gone.reset(row);
      rows[row] = std::move(entries);
    }
    gone.for_each([&](std::uint32_t row) { rows[row].clear(); });
    counts.apply(std::move(change), gone);
  }

  void check(const RowCounts& found) const {
    REQUIRE(found.rows() == rows.size());
    std::size_t nonzeros = 0;
    for (std::uint32_t row = 0; row < found.rows(); ++row) {
      CHECK(entries_of(found[row]) == rows[row]);
      nonzeros += rows[row].size();
    }
    CHECK(found.nonzeros() == nonzeros);
  }
};

}  // namespace

TEST_CASE("rows that are replaced, added, gone and back are those that were written last") {
  const Csr matrix = kindred::test::random_csr({.rows = 60, .columns = 90}, 1);
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 draw(seed);
    Expected expected(matrix);
    for (int i = 0; i < 40; ++i) expected.change(draw);
    expected.check(expected.counts);
    CHECK(expected.counts.changes() == 40);
    CHECK(expected.counts.columns() == 100);
  }
}

TEST_CASE("a copy keeps its rows when another one changes") {
  std::mt19937 draw(3);
  Expected changing(kindred::test::random_csr({.rows = 60, .columns = 90}, 2));
  CHECK(changing.counts.is_matrix());
  changing.change(draw);
  const Expected before = changing;
  for (int i = 0; i < 10; ++i) changing.change(draw);
  before.check(before.counts);
  changing.check(changing.counts);
  CHECK_FALSE(changing.counts.is_matrix());
}

TEST_CASE("rows that moved are transposed like those of a matrix") {
  std::mt19937 draw(4);
  Expected changing(kindred::test::random_csr({.rows = 60, .columns = 90}, 3));
  for (int i = 0; i < 10; ++i) changing.change(draw);
  Csr matrix;
  matrix.columns = changing.counts.columns();
  for (const Entries& entries : changing.rows) {
    for (const auto& [column, count] : entries) {
      matrix.column.push_back(column);
      matrix.count.push_back(static_cast<std::uint16_t>(count));
    }
    matrix.row_begin.push_back(matrix.column.size());
  }
  const Csr found = transpose(changing.counts), expected = transpose(matrix.view());
  CHECK(found.columns == expected.columns);
  CHECK(found.row_begin == expected.row_begin);
  CHECK(found.column == expected.column);
  CHECK(found.count == expected.count);
}
