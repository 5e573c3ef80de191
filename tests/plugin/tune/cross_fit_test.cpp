// Leave-one-out as tune runs it, against a double loop over all pairs of documents.
#include "plugin/tune/cross_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "gpu/scoring.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "plugin/votes/votes.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

constexpr std::size_t kNeighborsWanted = kBlendNeighbors;

/// Compares every document with every other, by the definition of docs/scoring.md.
class PairByPair {
 public:
  PairByPair(const Mirror& mirror, const TermWeighting& weighting)
      : matrix_(mirror.counts.matrix()), counts_(matrix_.view()), weighting_(weighting) {
    double longest = 0;
    for (std::uint32_t row = 0; row < counts_.rows; ++row) {
      lengths_.push_back(euclidean_length(
          size_of(row), [&](std::size_t i) { return weight(counts_.row_begin[row] + i); }));
      longest = std::max(longest, lengths_.back());
    }
    exponent_ = scale_exponent(longest);
  }

  /// The nearest rows to a row, as if the index did not have that row. Terms that no other row has
  /// are then unknown.
  std::vector<Neighbor> nearest(std::uint32_t query, const std::vector<std::uint32_t>& df) const {
    std::vector<std::uint64_t> entries;
    for (std::uint64_t i = counts_.row_begin[query]; i < counts_.row_begin[query + 1]; ++i) {
      if (df[counts_.column[i]] > 1 && weight(i) > 0) entries.push_back(i);
    }
    const double length =
        euclidean_length(entries.size(), [&](std::size_t i) { return weight(entries[i]); });
    std::map<std::uint32_t, double> factors;
    for (const std::uint64_t i : entries) {
      const std::uint32_t term = counts_.column[i];
      // A query is scaled by a power of two before its length is taken, which changes no bit.
      factors[term] =
          term_factor(weight(i) / length, weighting_.idf[term], std::ldexp(1.0, exponent_));
    }
    std::vector<Neighbor> found;
    for (std::uint32_t row = 0; row < counts_.rows; ++row) {
      std::int64_t sum = 0;
      for (std::uint64_t i = counts_.row_begin[row]; i < counts_.row_begin[row + 1]; ++i) {
        const auto factor = factors.find(counts_.column[i]);
        if (factor != factors.end())
          sum += contribution(factor->second, weighting_.tf[counts_.count[i]]);
      }
      const float s =
          similarity(sum, reciprocal_length(lengths_[row], std::ldexp(1.0, -exponent_)));
      if (row != query && s > 0) found.push_back({row, s});
    }
    std::sort(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.row, b.similarity, b.row);
    });
    found.resize(kNeighborsWanted);
    return found;
  }

 private:
  std::size_t size_of(std::uint32_t row) const {
    return counts_.row_begin[row + 1] - counts_.row_begin[row];
  }
  double weight(std::uint64_t i) const {
    return weighting_.tf[counts_.count[i]] * weighting_.idf[counts_.column[i]];
  }

  const Csr matrix_;
  const CsrView counts_;
  const TermWeighting& weighting_;
  std::vector<double> lengths_;
  int exponent_ = 0;
};

}  // namespace

TEST_CASE("leave-one-out on 500 documents is that of a double loop, to the bit") {
  const test::TopicalCollection collection(500);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(collection.path), settings), settings);
  const Mirror& mirror = snapshot.mirror();
  const FoldedRows rows = deal_rows(mirror.labeled, 5, 0, 0);
  REQUIRE(rows.rows.size() == 500);
  const CrossFit fit(snapshot, rows, {}, [](std::uint64_t) {});
  const LeaveOneOut found = fit.run();
  const RowLabels labels = mirror.labels.view();
  for (std::uint8_t fold = 0; fold < 5; ++fold) {
    TermWeighting weighting = snapshot.weighting();
    weighting.idf = fit.fit(rows.without[fold]);
    const PairByPair pairs(mirror, weighting);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (rows.fold[i] != fold) continue;
      const std::vector<Neighbor> wanted = pairs.nearest(rows.rows[i], mirror.df);
      const auto got = std::span(found.neighbors).subspan(i * kNeighborsWanted, kNeighborsWanted);
      REQUIRE(std::equal(wanted.begin(), wanted.end(), got.begin(), got.end()));
      std::vector<double> wanted_shares(5, 0), shares(5, 0);
      double total = 0;
      for (const Neighbor& neighbor : wanted) {
        total += neighbor.similarity;
        for (const std::uint32_t label : mirror.labels.of(neighbor.row))
          wanted_shares[label] += neighbor.similarity;
      }
      for (double& share : wanted_shares) share /= total;
      count_shares(got, labels, 1, shares);
      REQUIRE(shares == wanted_shares);
    }
  }
}

TEST_CASE("rows are dealt into folds of equal size, the same for the same seed") {
  const RowSet voters = RowSet::all(68);
  const FoldedRows a = deal_rows(voters, 5, 3, 0), b = deal_rows(voters, 5, 3, 0);
  CHECK(a.rows == b.rows);
  CHECK(a.fold == b.fold);
  for (std::uint8_t fold = 0; fold < 5; ++fold) {
    const auto size = std::count(a.fold.begin(), a.fold.end(), fold);
    CHECK((size == 13 || size == 14));
  }
  CHECK(deal_rows(voters, 5, 4, 0).fold != a.fold);
  CHECK(deal_rows(voters, 5, 3, 20).rows.size() == 20);
}

TEST_CASE(
    "term weights that a document is judged by know neither its labels nor those of its fold") {
  std::vector<Record> records = test::topical_documents(100);
  const test::TemporaryDirectory directory;
  const auto weights_of_fold = [&](const std::string& name) {
    test::write(directory / name, records);
    const Settings settings = test::untuned();
    const Snapshot snapshot(read_mirror(open_database(directory / name), settings), settings);
    const FoldedRows rows = deal_rows(snapshot.mirror().labeled, 5, 0, 0);
    const CrossFit fit(snapshot, rows, {}, [](std::uint64_t) {});
    return std::pair(rows.fold, fit.fit(rows.without[0]));
  };
  const auto [fold, before] = weights_of_fold("before");
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (fold[i] == 0) records[i].labels = {"label" + std::to_string((i + 2) % 5)};
  }
  CHECK(weights_of_fold("after").second == before);
}

TEST_CASE(
    "where few voters are classified, the others teach the term weights, once for all folds") {
  const test::TopicalCollection collection(100);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(collection.path), settings), settings);
  const FoldedRows rows = deal_rows(snapshot.mirror().labeled, 5, 0, 20);
  const CrossFit fit(snapshot, rows, {}, [](std::uint64_t) {});
  REQUIRE(fit.learning_parts() == 1);
  const LeaveOneOut found = fit.run();
  RowSet others = rows.voters;
  for (const std::uint32_t row : rows.rows) others.reset(row);
  REQUIRE(found.weights.size() == 1);
  CHECK(found.weights[0] == fit.fit(others));
}

TEST_CASE("the latest documents are classified by earlier ones, in terms that these know") {
  std::vector<Record> records = test::topical_documents(100);
  for (std::size_t i = 80; i < 100; ++i) records[i].text += " fresh fresh fresh";
  const test::TemporaryDirectory directory;
  test::write(directory / "db", records);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(directory / "db"), settings), settings);
  const Mirror& mirror = snapshot.mirror();
  const FoldedRows rows = deal_latest(mirror.labeled, 0.2, 0, 0);
  REQUIRE(rows.rows.size() == 20);
  CHECK(rows.rows.front() == 80);
  const CrossFit fit(snapshot, rows, {}, [](std::uint64_t) {});
  const LeaveOneOut found = fit.run();
  for (const Neighbor& neighbor : found.neighbors)
    CHECK((neighbor.row < 80 || neighbor.row == Neighbor::kNoRow));
  const auto fresh = mirror.vocabulary.find("Zfresh");
  REQUIRE(fresh);
  CHECK(fit.fit(rows.voters)[*fresh] == 0);
  CHECK(deal_latest(mirror.labeled, 0.2, 0, 5).rows.size() == 5);
}

TEST_CASE("rows of a group, and near-duplicates, do not vote for each other") {
  FoldedRows rows = deal_rows(RowSet::all(20), 2, 1, 0);
  const std::vector<std::vector<std::uint32_t>> groups = {{3, 7, 11}};
  keep_groups_apart(groups, rows);
  for (const std::uint32_t row : groups.front()) {
    CHECK_FALSE(rows.voting[rows.fold[3]].has(row));
    CHECK_FALSE(rows.without[rows.fold[3]].has(row));
  }
  std::vector<Companions> companions(20);
  companions[5].rows = {6};
  FoldedRows paired = deal_rows(RowSet::all(20), 2, 1, 0);
  keep_apart(companions, paired);
  CHECK(paired.is_repeated.empty());
  CHECK_FALSE(paired.voting[paired.fold[5]].has(6));
  CHECK(paired.voting[1 - paired.fold[5]].has(6));
  CHECK(paired.voters.has(6));
}

TEST_CASE(
    "if half of the rows are repeated, what they repeat votes on the repeated rows of its fold "
    "only") {
  FoldedRows rows = deal_rows(RowSet::all(20), 2, 1, 0);
  const auto fold = rows.fold[3];
  std::vector<Companions> companions(20);
  companions[3] = {{9}, false};
  const std::size_t repeated = GENERATE(9U, 10U);
  for (std::size_t row = 9; row < 9 + repeated; ++row) companions[row] = {{3}, true};
  keep_apart(companions, rows);
  if (repeated == 9) {
    CHECK(rows.is_repeated.empty());
    return;
  }
  CHECK(rows.is_repeated[9]);
  CHECK_FALSE(rows.is_repeated[3]);
  CHECK_FALSE(rows.voting[fold].has(9));
  for (const RowSet& voters : rows.voting_on_repeated) {
    CHECK(voters.has(3));
    CHECK(voters.has(9));
  }
}

TEST_CASE("near-duplicates of a document are found by its text, and which of them came first") {
  std::vector<Record> records = test::topical_documents(60);
  const test::TemporaryDirectory directory;
  records.push_back(records[4]);
  records.back().id = "copy";
  test::write(directory / "db", records);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(directory / "db"), settings), settings);
  const std::vector<std::uint32_t> rows = {4, 60};
  DriftMeasure drift(snapshot.mirror(), snapshot.mirror().labeled);
  const auto found = companions_of(snapshot, rows, snapshot.mirror().labeled, drift);
  CHECK(std::ranges::count(found[0].rows, 60U) == 1);
  CHECK(std::ranges::count(found[1].rows, 4U) == 1);
  CHECK(std::ranges::count(found[1].rows, 60U) == 0);
  CHECK_FALSE(found[0].is_repeated);
  CHECK(found[1].is_repeated);
}

TEST_CASE("documents of one source are companions if they came soon after each other") {
  std::vector<Record> records(80, test::record("", ""));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string own = std::to_string(i);
    records[i] = test::record("d" + own, "own" + own + "a own" + own + "b common", {"label"});
  }
  for (const std::size_t i : {10U, 42U, 43U}) records[i].text += " thread1x thread2x";
  const test::TemporaryDirectory directory;
  test::write(directory / "db", records);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(directory / "db"), settings), settings);
  const std::vector<std::uint32_t> rows = {10, 43};
  DriftMeasure drift(snapshot.mirror(), snapshot.mirror().labeled);
  const auto found = companions_of(snapshot, rows, snapshot.mirror().labeled, drift);
  CHECK(found[0].rows == std::vector<std::uint32_t>{42});
  CHECK(found[1].rows == std::vector<std::uint32_t>{42});
  CHECK_FALSE(found[1].is_repeated);
}
