// Backend::refreshed() gives the same bits as a backend that is made of the whole mirror.
#include <deque>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/living_mirror.h"
#include "tests/fixtures/sparse_vectors.h"

namespace kindred {
namespace {

using test::AllAnswers;
using test::ask;
using test::check_like_fresh;
using test::LivingMirror;
using test::SegmentedMirror;

/// A cosine, and a dot product by terms whose weights change with the mirror.
const std::vector<LivingMirror::Weigh> kWeighings = {test::ltc_weighting, test::ltn_weighting};

Csr some_rows(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed) {
  return test::random_csr({.rows = rows, .columns = columns}, seed);
}

std::vector<std::uint32_t> every(std::uint32_t step, std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = first; row < end; row += step) rows.push_back(row);
  return rows;
}

KNN_TEST_CASE("rows that are added are found as if they had always been there", "[refreshed]") {
  const auto before = GENERATE(0u, 1u, 127u, 128u, 129u, test::affordable(5000u, 3000u));
  const auto added = GENERATE(0u, 1u, 127u, 128u, 129u, test::affordable(6000u, 3500u));
  CAPTURE(before, added);
  LivingMirror mirror(kind, some_rows(before, 200, before),
                      GENERATE(from_range(test::raced(kWeighings))));
  mirror.change(some_rows(added, 200, added + 1), {});
  check_like_fresh(mirror);
}

KNN_TEST_CASE("rows with large counts come to rows of text, and die again", "[refreshed]") {
  const auto vectors = [](std::uint32_t rows) {
    return test::sparse_vectors({.rows = rows, .columns = 2000, .share = .05}, rows);
  };
  const auto weigh = GENERATE(test::ltc_weighting, test::nnc_weighting, test::nnn_weighting);
  LivingMirror mirror(kind, some_rows(2000, 2000, 21), weigh);
  mirror.change(vectors(3000), {});
  check_like_fresh(mirror);
  mirror.change(vectors(40), every(3, 0, 5000));
  check_like_fresh(mirror);
  mirror.change(some_rows(900, 2000, 22), every(1, 2000, 5040));
  check_like_fresh(mirror);
}

KNN_TEST_CASE("a row that was by far the longest may die", "[refreshed]") {
  Csr csr = test::random_csr({.rows = 700, .columns = 100, .mean_length = 3}, 8);
  for (std::uint16_t& count : csr.count) count = 1;
  for (std::uint32_t t = 0; t < 100; ++t) csr.column.push_back(t), csr.count.push_back(65535);
  csr.row_begin.push_back(csr.column.size());
  LivingMirror mirror(
      kind, std::move(csr),
      GENERATE(test::ltc_weighting, test::ntc_weighting, test::ltn_weighting, test::nnn_weighting));
  mirror.change(some_rows(1, 100, 9), {700});
  check_like_fresh(mirror);
}

KNN_TEST_CASE("the longest row, which divides all products, comes, is replaced and goes",
              "[refreshed]") {
  const auto weigh = GENERATE(test::ltn_weighting, test::nnn_weighting);
  LivingMirror mirror(kind, some_rows(900, 300, 6), weigh);
  Csr longer = some_rows(1, 300, 7), shorter = some_rows(1, 300, 8);
  for (std::uint16_t& count : longer.count) count = 50000;
  const auto length = [&] { return mirror.backend().longest(); };
  const double first = length();
  const std::uint32_t last = mirror.rows();
  mirror.change(longer, {});
  check_like_fresh(mirror);
  const double with_longer = length();
  CHECK(with_longer > first);
  mirror.replace(shorter, {last}, {});
  check_like_fresh(mirror);
  CHECK(length() < with_longer);
  mirror.replace(longer, {5}, {last});
  check_like_fresh(mirror);
  mirror.change(some_rows(0, 300, 0), {5});
  check_like_fresh(mirror);
  CHECK(length() < with_longer);
}

KNN_TEST_CASE("a row without weight is found when its term becomes rarer", "[refreshed]") {
  Csr csr;  // every row has term 0, and row 0 has no other
  csr.columns = 9;
  for (std::uint32_t row = 0; row < 8; ++row) {
    csr.column.push_back(0), csr.count.push_back(1);
    if (row > 0) csr.column.push_back(row), csr.count.push_back(1);
    csr.row_begin.push_back(csr.column.size());
  }
  LivingMirror mirror(kind, std::move(csr));
  Csr nothing;
  nothing.columns = 9;
  mirror.change(nothing, {2, 3, 4});
  check_like_fresh(mirror);
  Csr without;
  without.columns = 9;
  without.column = {8}, without.count = {1}, without.row_begin = {0, 1};
  mirror.change(without, {});
  check_like_fresh(mirror);
  const auto found = mirror.backend().nearest(
      [&] {
        Queries queries;
        queries.add_weights(std::vector<std::uint32_t>{0}, std::vector<double>{1});
        return queries;
      }(),
      1);
  CHECK(found[0].number == 1);
}

KNN_TEST_CASE("dead rows need no weight any more for their counts", "[refreshed]") {
  Csr csr;
  csr.columns = 2;
  for (const std::uint16_t count : std::initializer_list<std::uint16_t>{1, 2, 9, 1}) {
    csr.column.insert(csr.column.end(), {0, 1});
    csr.count.insert(csr.count.end(), {count, 1});
    csr.row_begin.push_back(csr.column.size());
  }
  const TermWeighting large{{1, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, small{{1, 2}, {0, 1, 2}};
  SegmentedMirror mirror(csr.view());
  const auto backend = make_backend(mirror.list(), large, test::options(kind));
  const auto fresh = backend->refreshed(mirror.kill(std::array{2u}).list(), small);
  Queries queries;
  queries.add_weights(std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1});
  const auto found = fresh->nearest(queries, 4);
  CHECK(found[2].number != kNoDocument);
  CHECK(found[3] == Neighbor{});
}

KNN_TEST_CASE("counts that only dead rows have change no bound of common words", "[refreshed]") {
  constexpr std::uint32_t kRows = 300, kDead = 7, kLong = 8, kTerms = 60;  // term 0 is common
  Csr csr;
  csr.columns = kTerms;
  const auto add = [&](std::uint32_t term, std::uint16_t count) {
    csr.column.push_back(term);
    csr.count.push_back(count);
  };
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const auto count = static_cast<std::uint16_t>(row == kDead ? 900 : row == kLong ? 300 : 1);
    for (std::uint32_t term = 0; term < kTerms; ++term)
      if (term == 0 || count > 1 || term == 1 + row % 3 || term == 4 + row % 50) add(term, count);
    csr.row_begin.push_back(csr.column.size());
  }
  TermWeighting large, small;
  large.idf.assign(kTerms, 1);
  large.idf[0] = 0.01;
  for (int count = 0; count <= 900; ++count) large.tf.push_back(count);
  small = large;
  small.tf.resize(301);
  const auto answers = [&](const std::string& twin) {
    SegmentedMirror mirror(csr.view());
    const auto whole = make_backend(mirror.list(), large, test::options(twin));
    const auto fresh = whole->refreshed(mirror.kill(std::array{kDead}).list(), small);
    Queries queries;
    for (std::uint32_t row = 0; row < kDead; ++row)
      test::add_row_query(queries, csr.view(), row, small);
    return fresh->nearest(queries, 20);
  };
  CHECK((answers(kind) == answers("cpu")));
}

/// `n` different numbers below `rows`, ascending.
std::vector<std::uint32_t> draw_numbers(std::uint32_t n, std::uint32_t rows,
                                        std::mt19937_64& random) {
  std::set<std::uint32_t> drawn;
  for (std::uint32_t i = 0; i < n && rows > 0; ++i)
    drawn.insert(static_cast<std::uint32_t>(random() % rows));
  return {drawn.begin(), drawn.end()};
}

KNN_TEST_CASE("weights may vanish, return or become the largest", "[refreshed][slow]") {
  const Csr csr = some_rows(3000, 5000, 4);
  const SegmentedMirror mirror(csr.view());
  std::mt19937_64 random(9);
  const auto weigh = GENERATE(from_range(test::raced(kWeighings)));
  std::deque<TermWeighting> weightings{weigh(csr.view())};
  auto backend = make_backend(mirror.list(), weightings[0], test::options(kind, 2));
  constexpr double kFactors[] = {0, 1e-30, 0.3, 0.5, 0.999, 1.5, 2, 1e9};
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    TermWeighting weighting = i % 4 == 3 ? weightings[0] : weightings.back();
    for (const std::uint32_t term : draw_numbers(4, csr.columns, random))
      weighting.idf[term] = weightings[0].idf[term] * kFactors[random() % 8];
    if (i % 4 < 2) weighting.idf[random() % 3] *= kFactors[2 + random() % 4];  // a frequent term
    weightings.push_back(std::move(weighting));
    backend = backend->refreshed(mirror.list(), weightings.back());
    const auto fresh = make_backend(csr.view(), weightings.back(), test::options(kind, 2));
    CHECK((ask(*backend, csr, weightings.back()) == ask(*fresh, csr, weightings.back())));
  }
}

/// Rows of a few kinds only, so that nearly all similarities tie.
Csr equal_rows(std::uint32_t rows, std::mt19937_64& random) {
  Csr csr;
  csr.columns = 8;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto kind = static_cast<std::uint32_t>(random() % 4);
    csr.column.insert(csr.column.end(), {kind, kind + 1, kind + 3});
    csr.count.insert(csr.count.end(), {1, 2, 1});
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

TEST_CASE("equal rows are in the order of their numbers when threads share a query",
          "[refreshed]") {
  const test::ForcedTiles tiles(GENERATE(TileTiming::kAtOnce, TileTiming::kNever));
  std::mt19937_64 random(6);
  constexpr std::uint32_t kRows = 1100000;  // worth two threads
  LivingMirror mirror("cpu", equal_rows(kRows, random), test::ltc_weighting, 2);
  mirror.replace(equal_rows(3, random), {1, 2, 3}, {0, 5});
  const Csr whole = mirror.whole();
  const auto fresh = mirror.made_fresh(whole);
  for (const std::uint32_t row : {0u, 1u, 2u, 3u, kRows - 1}) {
    Queries queries;
    test::add_row_query(queries, whole.view(), row, mirror.weighting());
    CHECK(mirror.backend().nearest(queries, 10) == fresh->nearest(queries, 10));
  }
}

KNN_TEST_CASE("the old backend goes on as before, and either may go first", "[refreshed]") {
  LivingMirror mirror(kind, some_rows(1000, 150, 1));
  const Csr old_rows = mirror.whole();
  const TermWeighting old_weighting = mirror.weighting();
  const AllAnswers before = ask(mirror.backend(), old_rows, old_weighting);
  auto old = mirror.change(some_rows(500, 200, 2), every(3, 0, 1500));
  CHECK((ask(*old, old_rows, old_weighting) == before));
  check_like_fresh(mirror);
  old.reset();
  check_like_fresh(mirror);
  const Csr rows = mirror.whole();
  const TermWeighting weighting = mirror.weighting();
  const AllAnswers after = ask(mirror.backend(), rows, weighting);
  old = mirror.change(some_rows(100, 200, 3), {});
  CHECK((ask(*old, rows, weighting) == after));
}

KNN_TEST_CASE("a mirror without rows, or of several segments, is searched at once", "[refreshed]") {
  const Csr one = some_rows(300, 50, 1), other = some_rows(5, 60, 3), third = some_rows(200, 60, 4);
  const TermWeighting weighting = test::ltc_weighting(third.view());
  Queries queries;
  for (std::uint32_t row = 0; row < 200; ++row)
    test::add_row_query(queries, third.view(), row, weighting);
  SegmentedMirror mirror;
  const auto none = make_backend(mirror.widen(60).list(), weighting, test::options(kind));
  CHECK(none->nearest(queries, 4) == std::vector<Neighbor>(800));
  mirror.add(one.view()).add(other.view()).add(third.view()).kill(std::array{0u, 299u, 301u});
  const auto expected =
      make_backend(mirror.list(), weighting, test::options("cpu", 1))->nearest(queries, 9);
  CHECK(make_backend(mirror.list(), weighting, test::options(kind))->nearest(queries, 9) ==
        expected);
  CHECK(none->refreshed(mirror.list(), weighting)->nearest(queries, 9) == expected);
}

TEST_CASE("segments that do not fit together are refused", "[refreshed]") {
  const Csr csr = some_rows(100, 50, 1), wide = some_rows(5, 60, 3);
  const std::vector<SegmentPointer> segments = {borrowed_segment(csr.view(), {}),
                                                borrowed_segment(wide.view(), {})};
  const auto code = [&](std::uint32_t columns, RowSet dead) {
    return test::code_of([&] { SegmentList(segments, columns, std::move(dead)); });
  };
  CHECK(code(60, {}) == Errc::kOk);
  CHECK(code(59, {}) == Errc::kInvalidArgument);
  CHECK(code(60, RowSet::all(105)) == Errc::kOk);
  CHECK(code(60, RowSet::all(104)) == Errc::kInvalidArgument);
}

}  // namespace
}  // namespace kindred
