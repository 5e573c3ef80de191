// Backend::refreshed() gives the same bits as a backend that is made of the whole mirror.
#include <deque>
#include <memory>
#include <random>

#include "config/error.h"
#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/random_labels.h"
#include "tests/fixtures/row_sets.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::Labels;

constexpr std::uint32_t kLabels = 12;

/// A mirror that gains and loses rows, and a backend that follows it by refreshed().
class LivingMirror {
 public:
  using Weigh = TermWeighting (*)(CsrView);

  LivingMirror(const char* kind, Csr rows, Weigh weigh = test::ltc_weighting)
      : kind_(kind), weigh_(weigh) {
    append(std::move(rows));
    backend_ = make_backend(parts_[0].view(), reweigh(), test::options(kind), labels_[0].view());
  }

  /// Adds rows, lets the rows in `dead` die, and returns the backend from before.
  std::unique_ptr<const Backend> change(Csr rows, const std::vector<std::uint32_t>& dead) {
    append(std::move(rows));
    for (const std::uint32_t row : dead) dead_.set(row);
    const MirrorChange change{parts_.back().view(), labels_.back().view(), &dead_};
    auto fresh = backend_->refreshed(change, reweigh());
    std::swap(backend_, fresh);
    return fresh;
  }

  const Backend& backend() const { return *backend_; }
  std::uint32_t rows() const { return whole_.rows(); }
  std::uint32_t columns() const { return whole_.columns; }
  const TermWeighting& weighting() const { return weightings_.back(); }

  /// All rows; dead rows are empty.
  Csr whole() const {
    Csr result;
    result.columns = whole_.columns;
    for (std::uint32_t row = 0; row < whole_.rows(); ++row) {
      const bool dead = dead_.has(row);
      for (std::uint64_t i = whole_.row_begin[row]; !dead && i < whole_.row_begin[row + 1]; ++i)
        result.column.push_back(whole_.column[i]), result.count.push_back(whole_.count[i]);
      result.row_begin.push_back(result.column.size());
    }
    return result;
  }

  std::unique_ptr<const Backend> made_fresh(const Csr& whole) const {
    return make_backend(whole.view(), weighting(), test::options(kind_), all_labels_.view());
  }

 private:
  void append(Csr rows) {
    labels_.push_back(test::random_labels(rows.rows(), kLabels, parts_.size()));
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i)
        whole_.column.push_back(rows.column[i]), whole_.count.push_back(rows.count[i]);
      whole_.row_begin.push_back(whole_.column.size());
      const auto own =
          std::span(labels_.back().label)
              .subspan(labels_.back().row_begin[row],
                       labels_.back().row_begin[row + 1] - labels_.back().row_begin[row]);
      all_labels_.add_row({own.begin(), own.end()});
    }
    whole_.columns = std::max(whole_.columns, rows.columns);
    dead_.grow(whole_.rows());
    parts_.push_back(std::move(rows));
  }

  const TermWeighting& reweigh() {
    weightings_.push_back(weigh_(whole().view()));
    return weightings_.back();
  }

  const char* kind_;
  Weigh weigh_;
  Csr whole_;
  Labels all_labels_;
  RowSet dead_;
  std::deque<Csr> parts_;
  std::deque<Labels> labels_;
  std::deque<TermWeighting> weightings_;
  std::unique_ptr<const Backend> backend_;
};

/// The answers to everything that a backend can be asked, about some rows of `csr`.
struct AllAnswers {
  std::vector<Neighbor> nearest, filtered, few, of_counts;
  std::vector<LabelShare> shares;
  friend bool operator==(const AllAnswers&, const AllAnswers&) = default;
};

AllAnswers ask(const Backend& backend, const Csr& csr, const TermWeighting& weighting) {
  Queries queries;
  std::vector<std::uint32_t> exclude;
  const std::uint32_t step = std::max(1u, csr.rows() / test::sanitized(40u, 4u));
  for (std::uint32_t row = 0; row < csr.rows(); row += step) {
    test::add_row_query(queries, csr.view(), row, weighting);
    exclude.push_back(row);
  }
  const RowSet most = test::random_rows(csr.rows(), 0.8, 1);
  const RowSet rare = test::random_rows(csr.rows(), 0.02, 2);
  AllAnswers answers;
  answers.nearest = backend.nearest(queries, 20);
  answers.filtered = backend.nearest(queries, 20, &most);
  answers.few = backend.nearest(queries, 20, &rare);
  const Csr& own = csr;
  answers.of_counts.resize(own.rows() < 300 ? own.rows() * std::size_t{7} : 0);
  if (!answers.of_counts.empty())
    backend.nearest(
        {own.rows(), own.row_begin.data(), own.column.data(), nullptr, own.count.data()}, 7,
        nullptr, answers.of_counts);
  answers.shares.resize(queries.rows() * 4);
  backend.vote(queries.view(), {9, 4, &most, exclude}, answers.shares);
  return answers;
}

void check_like_fresh(const LivingMirror& mirror) {
  const Csr whole = mirror.whole();
  const auto fresh = mirror.made_fresh(whole);
  const AllAnswers expected = ask(*fresh, whole, mirror.weighting());
  CHECK((ask(mirror.backend(), whole, mirror.weighting()) == expected));
}

Csr some_rows(std::uint32_t rows, std::uint32_t columns, std::uint64_t seed) {
  return test::random_csr({.rows = rows, .columns = columns}, seed);
}

std::vector<std::uint32_t> every(std::uint32_t step, std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = first; row < end; row += step) rows.push_back(row);
  return rows;
}

TWIN_TEST_CASE("rows that are added are found as if they had always been there", "[refreshed]") {
  const auto before = GENERATE(0u, 1u, 127u, 128u, 129u, test::sanitized(5000u, 3000u));
  const auto added = GENERATE(0u, 1u, 127u, 128u, 129u, test::sanitized(6000u, 3500u));
  CAPTURE(before, added);
  LivingMirror mirror(kind, some_rows(before, 200, before));
  mirror.change(some_rows(added, 200, added + 1), {});
  check_like_fresh(mirror);
}

TWIN_TEST_CASE("added rows may bring new terms", "[refreshed]") {
  LivingMirror mirror(kind, some_rows(5000, 100, 1));
  mirror.change(some_rows(300, 150, 2), {});
  check_like_fresh(mirror);
  mirror.change(some_rows(4, 5000, 3), {17, 5001});
  check_like_fresh(mirror);
}

TWIN_TEST_CASE("rows that died are no neighbors and have no part in the scale", "[refreshed]") {
  const auto step = GENERATE(as<std::uint32_t>{}, 1, 2, 5, 100);  // 1: all of them
  CAPTURE(step);
  LivingMirror mirror(kind, some_rows(9000, 300, 4));
  mirror.change(some_rows(0, 300, 0), every(step, 0, 9000));
  check_like_fresh(mirror);
  mirror.change(some_rows(50, 300, 5), every(7, 0, 9050));
  check_like_fresh(mirror);
}

TWIN_TEST_CASE("a row that was by far the longest may die", "[refreshed]") {
  Csr csr = test::random_csr({.rows = 700, .columns = 100, .mean_length = 3}, 8);
  for (std::uint16_t& count : csr.count) count = 1;
  for (std::uint32_t t = 0; t < 100; ++t) csr.column.push_back(t), csr.count.push_back(65535);
  csr.row_begin.push_back(csr.column.size());
  LivingMirror mirror(kind, std::move(csr), GENERATE(test::ltc_weighting, test::ntc_weighting));
  mirror.change(some_rows(1, 100, 9), {700});
  check_like_fresh(mirror);
}

TWIN_TEST_CASE("a row without weight is found when its term becomes rarer", "[refreshed]") {
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
  CHECK(found[0].row == 0);
}

TWIN_TEST_CASE("dead rows need no weight any more for their counts", "[refreshed]") {
  Csr csr;
  csr.columns = 2;
  for (const std::uint16_t count : std::initializer_list<std::uint16_t>{1, 2, 9, 1}) {
    csr.column.insert(csr.column.end(), {0, 1});
    csr.count.insert(csr.count.end(), {count, 1});
    csr.row_begin.push_back(csr.column.size());
  }
  const TermWeighting large{{1, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, small{{1, 2}, {0, 1, 2}};
  const auto backend = make_backend(csr.view(), large, test::options(kind));
  RowSet dead(4);
  dead.set(2);
  Csr nothing;
  nothing.columns = 2;
  const auto fresh = backend->refreshed({nothing.view(), {}, &dead}, small);
  Queries queries;
  queries.add_weights(std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1});
  const auto found = fresh->nearest(queries, 4);
  CHECK(found[2].row != Neighbor::kNoRow);
  CHECK(found[3] == Neighbor{});
}

TWIN_TEST_CASE("many changes, one after the other, keep every bit", "[refreshed]") {
  const auto start = GENERATE(as<std::uint32_t>{}, 0, 66000);
  CAPTURE(start);
  std::mt19937_64 random(11);
  LivingMirror mirror(kind, some_rows(start, 150, 12));
  const std::uint32_t changes = test::sanitized(24u, 8u);
  for (std::uint32_t i = 0; i < changes; ++i) {
    CAPTURE(i);
    const auto added = static_cast<std::uint32_t>(i % 8 == 7 ? 5000 : random() % 300);
    const std::uint32_t rows = mirror.rows() + added;
    std::vector<std::uint32_t> dead;
    for (int d = 0; d < 20 && rows > 0; ++d)
      dead.push_back(static_cast<std::uint32_t>(random() % rows));
    mirror.change(some_rows(added, 150 + i, i), dead);
    if (i % 4 == 3) check_like_fresh(mirror);
  }
}

TWIN_TEST_CASE("the old backend goes on as before, and either may go first", "[refreshed]") {
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

TEST_CASE("many small changes cost little more memory than one large one", "[refreshed]") {
  LivingMirror mirror("cpu", some_rows(100, 5000, 1));
  for (std::uint32_t i = 0; i < 300; ++i) mirror.change(some_rows(20, 5000, i), {});
  const Csr whole = mirror.whole();
  CHECK(mirror.backend().info().bytes < 3 * mirror.made_fresh(whole)->info().bytes);
}

TWIN_TEST_CASE("a change that does not fit is refused", "[refreshed]") {
  const Csr csr = some_rows(100, 50, 1), narrow = some_rows(5, 49, 2), wide = some_rows(5, 60, 3);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const TermWeighting wide_weighting = test::ltc_weighting(wide.view());
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  const auto code = [&](const MirrorChange& change, const TermWeighting& by) {
    try {
      backend->refreshed(change, by);
      return Errc::kOk;
    } catch (const Error& e) {
      return e.code();
    }
  };
  const RowSet enough(105), too_few(104);
  const Labels labels = test::random_labels(4, 3, 1);
  CHECK(code({wide.view(), {}, nullptr}, wide_weighting) == Errc::kOk);
  CHECK(code({narrow.view(), {}, nullptr}, weighting) == Errc::kInvalidArgument);
  CHECK(code({wide.view(), {}, nullptr}, weighting) == Errc::kInvalidArgument);
  CHECK(code({wide.view(), {}, &enough}, wide_weighting) == Errc::kOk);
  CHECK(code({wide.view(), {}, &too_few}, wide_weighting) == Errc::kInvalidArgument);
  CHECK(code({wide.view(), labels.view(), nullptr}, wide_weighting) == Errc::kInvalidArgument);
}

}  // namespace
}  // namespace kindred
