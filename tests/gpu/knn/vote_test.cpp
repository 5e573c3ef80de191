// Backend::vote() against a plain count over all neighbors.
#include "gpu/knn/vote.h"

#include "gpu/document_set.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::Labels;

/// The shares by the words of the contract. `all`: every neighbor that may vote, in order.
std::vector<LabelShare> counted(std::span<const Neighbor> all, const Labels& labels, std::size_t k,
                                std::uint32_t exclude, std::size_t wanted) {
  std::map<std::uint32_t, double> sums;
  double total = 0;
  std::size_t voters = 0;
  for (const auto& [number, similarity] : all) {
    if (number == kNoDocument || voters == k) break;
    if (number == exclude) continue;
    const std::uint32_t row = number - 1;
    ++voters;
    total += similarity;
    for (std::uint64_t i = labels.row_begin[row]; i < labels.row_begin[row + 1]; ++i)
      sums[labels.label[i]] += similarity;
  }
  std::vector<LabelShare> shares;
  for (const auto& [label, sum] : sums) shares.push_back({label, sum / total});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const LabelShare& a, const LabelShare& b) { return a.share > b.share; });
  shares.resize(wanted);
  return shares;
}

struct Question {
  std::size_t k = 10, wanted = 5;
  const RowSet* allowed = nullptr;
  bool exclude = true;  ///< every second query leaves out its own row
};

void check_votes(const char* kind, const Csr& csr, const Labels& labels, const Question& asked) {
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto backend = make_backend(csr.view(), weighting, test::options(kind), labels.view());
  Queries queries;
  std::vector<std::uint32_t> exclude;
  for (std::uint32_t q = 0; q < 60; ++q) {
    const std::uint32_t row = q * 7919u % csr.rows();
    test::add_row_query(queries, csr.view(), row, weighting);
    exclude.push_back(q % 2 == 0 ? row + 1 : kNoDocument);
  }
  if (!asked.exclude) exclude.assign(exclude.size(), kNoDocument);
  const test::DocumentsOf allowed(*backend, asked.allowed);
  const std::vector<Neighbor> all = backend->nearest(queries, csr.rows(), allowed);
  std::vector<LabelShare> shares(queries.rows() * asked.wanted, LabelShare{7, 7});
  const Vote vote{asked.k, asked.wanted, allowed,
                  asked.exclude ? exclude : std::span<const std::uint32_t>()};
  backend->vote(queries.view(), vote, shares);
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    CAPTURE(q);
    const auto expected = counted(std::span(all).subspan(q * csr.rows(), csr.rows()), labels,
                                  asked.k, exclude[q], asked.wanted);
    const auto found = std::span(shares).subspan(q * asked.wanted, asked.wanted);
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

KNN_TEST_CASE("a label's share is that of the similarities of the neighbors that have it",
              "[vote]") {
  const auto k = GENERATE(as<std::size_t>{}, 1, 2, 30, 500, 2000);
  const auto wanted = GENERATE(as<std::size_t>{}, 1, 3, 40);
  const bool exclude = GENERATE(false, true);
  CAPTURE(k, wanted, exclude);
  const Csr csr = test::random_csr({.rows = 500, .columns = 60}, 3);
  check_votes(kind, csr, test::random_labels(500, 20, 4), {k, wanted, nullptr, exclude});
}

KNN_TEST_CASE("only rows that are allowed vote", "[vote]") {
  const auto share = GENERATE(0.0, 0.01, 0.5, 1.0);
  CAPTURE(share);
  const Csr csr = test::random_csr({.rows = 900, .columns = 60}, 5);
  const RowSet allowed = test::random_rows(900, share, 6);
  check_votes(kind, csr, test::random_labels(900, 6, 4), {10, 8, &allowed, true});
}

KNN_TEST_CASE("labels of equal shares come in their own order", "[vote]") {
  Csr csr;  // all rows but one are the same document
  csr.columns = 2;
  Labels labels;
  for (std::uint32_t row = 0; row < 40; ++row) {
    csr.column.push_back(row == 20 ? 1 : 0);
    csr.count.push_back(1);
    csr.row_begin.push_back(csr.column.size());
    labels.add_row({40 - row, 100});
  }
  check_votes(kind, csr, labels, {40, 50, nullptr, true});
}

KNN_TEST_CASE("a mirror without labels, and one without rows, give no shares", "[vote]") {
  const Csr csr = test::random_csr({.rows = 100}, 3);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  Queries queries;
  test::add_row_query(queries, csr.view(), 4, weighting);
  std::vector<LabelShare> shares(3, LabelShare{7, 7});
  make_backend(csr.view(), weighting, test::options(kind))
      ->vote(queries.view(), {5, 3, nullptr, {}}, shares);
  CHECK(shares == std::vector<LabelShare>(3));
  Csr empty;
  empty.columns = csr.columns;
  shares.assign(3, LabelShare{7, 7});
  make_backend(empty.view(), weighting, test::options(kind))
      ->vote(queries.view(), {5, 3, nullptr, {}}, shares);
  CHECK(shares == std::vector<LabelShare>(3));
}

/// Compares both answers to each query of `batch`, asked alone.
void check_alone(const Backend& backend, const Backend& expected, const Csr& batch, std::size_t k,
                 std::uint32_t mirror_rows, const DocumentSet* allowed) {
  for (std::size_t q = 0; q < batch.rows(); ++q) {
    const std::uint64_t begin = batch.row_begin[q], end[2] = {0, batch.row_begin[q + 1] - begin};
    const QueryView query{1, end, batch.column.data() + begin, nullptr, batch.count.data() + begin};
    std::vector<Neighbor> neighbors(k), expected_neighbors(k);
    backend.nearest(query, k, allowed, neighbors);
    expected.nearest(query, k, allowed, expected_neighbors);
    CHECK((neighbors == expected_neighbors));
    const std::vector<std::uint32_t> self{q < mirror_rows ? static_cast<std::uint32_t>(q + 1)
                                                          : kNoDocument};
    std::vector<LabelShare> shares(3), expected_shares(3);
    backend.vote(query, {k, 3, allowed, self}, shares);
    expected.vote(query, {k, 3, allowed, self}, expected_shares);
    CHECK((shares == expected_shares));
  }
}

/// Asks queries of few and of many terms, one at a time, on a mirror of `rows` rows, with a filter
/// and without. Compares with the CPU twin on one thread.
void check_alone(const std::string& kind, std::uint32_t rows, double mean_length, std::size_t k) {
  CAPTURE(rows, mean_length, k);
  const Csr csr =
      test::random_csr({.rows = rows, .columns = 700, .mean_length = mean_length}, rows);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const test::Labels labels = test::random_labels(rows, 30, rows);
  const SegmentListPointer mirror = test::SegmentedMirror(csr.view(), labels.view()).list();
  const auto backend = make_backend(mirror, weighting, test::options(kind));
  const auto oracle = make_backend(mirror, weighting, test::options("cpu", 1));
  const Csr queries =
      test::random_csr({.rows = test::affordable(12u, 1u), .columns = 700, .mean_length = 80}, 5);
  check_alone(*backend, *oracle, queries, k, rows, nullptr);
  const RowSet even = test::every_row(2, rows);
  const DocumentSet half = *test::DocumentsOf(*backend, &even);
  check_alone(*backend, *oracle, queries, k, rows, &half);
}

KNN_TEST_CASE("a query alone is answered to the same bits, whatever the mirror's size",
              "[backend][vote]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 1, 7, 65, 3000, 23296, 23297);
  check_alone(kind, rows, rows > 9999 ? 6.0 : 40.0, GENERATE(as<std::size_t>{}, 1, 10, 200));
}

// A device scores all rows of the first mirror, in several steps. For the second mirror, it adds up
// the postings.
KNN_TEST_CASE("a query alone is answered to the same bits on large mirrors",
              "[backend][vote][large][slow]") {
  const auto k = GENERATE(as<std::size_t>{}, 1, 10, 1000);
  check_alone(kind, 150000, 6, k);
  check_alone(kind, 100000, 80, k);
}

}  // namespace
}  // namespace kindred
