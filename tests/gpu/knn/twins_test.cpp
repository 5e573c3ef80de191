// The CUDA twin against the CPU twin, bit for bit.
#include "tests/fixtures/twins.h"
#include "tests/fixtures/segmented_mirror.h"

namespace kindred {
namespace {

const std::vector<TermWeighting (*)(CsrView)> kTwinWeighings = {
    test::ltc_weighting, test::ntc_weighting, test::ltn_weighting, test::nnn_weighting};

struct Twins {
  Twins(const Csr& csr, const TermWeighting& weighting, const test::Labels& labels)
      : Twins(test::SegmentedMirror(csr.view(), labels.view()).list(), weighting) {}
  Twins(const SegmentListPointer& mirror, const TermWeighting& weighting)
      : cpu(make_backend(mirror, weighting, test::options("cpu"))),
        cuda(make_backend(mirror, weighting, test::options("cuda"))) {}

  void refresh(const SegmentListPointer& mirror, const TermWeighting& weighting) {
    cpu = cpu->refreshed(mirror, weighting);
    cuda = cuda->refreshed(mirror, weighting);
  }

  std::unique_ptr<const Backend> cpu, cuda;
};

Queries row_queries(const Csr& csr, const TermWeighting& weighting, std::uint32_t wanted) {
  Queries queries;
  for (std::uint32_t i = 0; i < std::min(wanted, csr.rows()); ++i)
    test::add_row_query(queries, csr.view(), i * 7919u % csr.rows(), weighting);
  return queries;
}

/// Asks the CUDA twin twice. Both answers must be those of the CPU twin.
void check_nearest(const Twins& twins, const Queries& queries, std::size_t k,
                   const RowSet* allowed) {
  const auto expected = twins.cpu->nearest(queries, k, test::DocumentsOf(*twins.cpu, allowed));
  CHECK((twins.cuda->nearest(queries, k, test::DocumentsOf(*twins.cuda, allowed)) == expected));
  CHECK((twins.cuda->nearest(queries, k, test::DocumentsOf(*twins.cuda, allowed)) == expected));
}

void check_vote(const Twins& twins, const Queries& queries, const Vote& vote) {
  std::vector<LabelShare> expected(queries.rows() * vote.labels), found(expected);
  twins.cpu->vote(queries.view(), vote, expected);
  twins.cuda->vote(queries.view(), vote, found);
  CHECK((found == expected));
}

/// Asks every kind of question about `wanted` rows of the mirror itself.
void check_twins(const Csr& csr, const TermWeighting& weighting, std::uint32_t wanted,
                 std::span<const std::size_t> ks) {
  const test::Labels labels = test::random_labels(csr.rows(), 40, csr.rows());
  const Twins twins(csr, weighting, labels);
  const Queries queries = row_queries(csr, weighting, test::affordable(wanted, 2u));
  std::vector<std::uint32_t> exclude;
  for (std::uint32_t i = 0; i < queries.rows(); ++i)
    exclude.push_back(i % 3 == 0 ? kNoDocument : i * 7919u % csr.rows() + 1);
  for (const std::size_t k : ks) {
    CAPTURE(csr.rows(), k);
    check_nearest(twins, queries, k, nullptr);
    check_vote(twins, queries, {k, 7, nullptr, exclude});
    const double shares[] = {0.02, 0.5, 0.001, 0.999};
    for (const double share : std::span(shares).first(test::affordable<std::size_t>(4, 2))) {
      CAPTURE(share);
      const RowSet allowed = test::random_rows(csr.rows(), share, 9);
      check_nearest(twins, queries, k, &allowed);
      check_vote(twins, queries, {k, 3, test::DocumentsOf(*twins.cpu, &allowed), {}});
    }
  }
}

CUDA_TEST_CASE("twins agree on a million rows", "[twins][large]") {
  const Csr csr = test::random_csr({.rows = 1000000, .columns = 50000, .mean_length = 12}, 5);
  const std::size_t ks[] = {10, 1024};
  check_twins(csr, test::ltc_weighting(csr.view()), 40, ks);
  check_twins(csr, test::nnn_weighting(csr.view()), 40, ks);
}

CUDA_TEST_CASE("twins agree where every document is one of a few", "[twins]") {
  const auto duplicates = GENERATE(from_range(test::raced(std::vector{0.99, 0.5, 0.9999})));
  CAPTURE(duplicates);
  const Csr csr = test::random_csr({.rows = test::affordable(50000u, 6000u),
                                    .columns = 300,
                                    .mean_length = 20,
                                    .duplicate_share = duplicates},
                                   7);
  const std::size_t ks[] = {1, 10, 1024};
  check_twins(csr, test::ltc_weighting(csr.view()), 20, ks);
  check_twins(csr, test::nnn_weighting(csr.view()), 20, ks);
}

CUDA_TEST_CASE("twins agree on terms in every document and in all but one", "[twins]") {
  Csr csr;
  csr.columns = 60;
  std::mt19937_64 random(3);
  for (std::uint32_t row = 0; row < 30000; ++row) {
    for (std::uint32_t t = 0; t < csr.columns; ++t) {
      if (t == 1 && row == 200) continue;
      if (t > 1 && random() % (t + 1) != 0) continue;
      csr.column.push_back(t);
      csr.count.push_back(test::random_count(random));
    }
    csr.row_begin.push_back(csr.column.size());
  }
  const std::size_t ks[] = {1, 10, 1024};
  for (const auto weigh : test::raced(kTwinWeighings)) check_twins(csr, weigh(csr.view()), 30, ks);
}

CUDA_TEST_CASE("twins agree on rows of every length and counts of every size", "[twins]") {
  Csr csr;
  csr.columns = 10000;
  for (const std::uint32_t length : {0, 1, 2, 7, 8, 9, 31, 32, 33, 500, 1023, 4096, 9999, 10000})
    for (const int count : {1, 2, 254, 255, 256, 65535}) {
      for (std::uint32_t t = 0; t < length; ++t) {
        csr.column.push_back(t);
        csr.count.push_back(static_cast<std::uint16_t>(t % 3 == 0 ? count : 1));
      }
      csr.row_begin.push_back(csr.column.size());
    }
  const std::size_t ks[] = {1, 25, 200};
  for (const auto weigh : kTwinWeighings) check_twins(csr, weigh(csr.view()), 84, ks);
}

/// Short rows, thousands that are equal, and some rows of up to 100,000 terms among them.
Csr rows_of_very_different_length() {
  Csr csr = test::random_csr(
      {.rows = test::affordable(9000u, 900u), .columns = 120000, .mean_length = 40}, 12);
  std::mt19937_64 random(13);
  for (std::uint32_t i = 0; i < test::affordable(3000u, 300u); ++i) test::repeat_last_row(csr);
  // Beyond the first six, racecheck would need minutes and meet no other kernel.
  const std::vector<std::uint32_t> lengths = {600, 1025, 1601, 2049, 5000, 15000, 33000, 100000};
  for (const std::uint32_t length : test::raced(lengths, 6))
    for (const std::uint32_t step : {1, 2}) {
      std::set<std::uint32_t> terms;
      for (std::uint32_t t = 0; terms.size() < length / step; ++t)
        if (random() % 8 != 0) terms.insert(t * step);
      test::add_row(csr, terms, random);
    }
  return csr;
}

CUDA_TEST_CASE("twins agree where a few rows and queries are very long", "[twins]") {
  const Csr csr = rows_of_very_different_length();
  const auto weigh = GENERATE(from_range(test::raced(kTwinWeighings)));
  const TermWeighting weighting = weigh(csr.view());
  const test::Labels labels = test::random_labels(csr.rows(), 40, 14);
  const Twins twins(csr, weighting, labels);
  Queries queries = row_queries(csr, weighting, test::affordable(700u, 10u));
  const std::uint32_t step = test::sanitizer() == "racecheck" ? 8 : 1;
  for (std::uint32_t row = csr.rows() - 17; row < csr.rows(); row += step)
    test::add_row_query(queries, csr.view(), row, weighting);
  const RowSet allowed = test::random_rows(csr.rows(), 0.5, 9);
  for (const std::size_t k : test::raced(std::vector<std::size_t>{45, 1, 300, 1024, 2000})) {
    CAPTURE(k);
    check_nearest(twins, queries, k, nullptr);
    check_nearest(twins, queries, k, &allowed);
    check_vote(twins, queries, {k, 7, nullptr, {}});
  }
}

CUDA_TEST_CASE("twins agree on queries of words that weigh next to nothing", "[twins]") {
  Csr csr;
  csr.columns = 60000;
  std::mt19937_64 random(15);
  for (std::uint32_t row = 0; row < test::affordable(3000u, 600u); ++row) {
    std::set<std::uint32_t> terms;
    for (std::uint32_t t = 0; t < 10; ++t)
      if (row != t) terms.insert(t);
    const std::size_t length = row % 300 == 299 ? 40000 : 60;
    while (terms.size() < length)
      terms.insert(10 + static_cast<std::uint32_t>(random() % (csr.columns - 10)));
    test::add_row(csr, terms, random);
  }
  const auto weigh = GENERATE(test::ltc_weighting, test::ltn_weighting);
  const TermWeighting weighting = weigh(csr.view());
  const test::Labels labels = test::random_labels(csr.rows(), 40, 16);
  const Twins twins(csr, weighting, labels);
  Queries queries;
  for (std::uint32_t i = 0; i < 700; ++i) {
    std::vector<std::uint32_t> terms, counts;
    for (std::uint32_t t = 0; t < 10; ++t)
      if (random() % 4 != 0) terms.push_back(t), counts.push_back(test::random_count(random));
    queries.add_counts(terms, counts, weighting);
  }
  for (const std::size_t k : {1, 45, 1024}) check_nearest(twins, queries, k, nullptr);
}

/// Short rows, and a few that a team of blocks looks for as queries.
Csr rows_with_long_ones(std::uint64_t seed) {
  Csr csr = test::random_csr({.rows = 500, .columns = 9000, .mean_length = 30}, seed);
  std::mt19937_64 random(seed);
  for (const std::size_t length : {1700, 2500, 4000}) {
    std::set<std::uint32_t> terms;
    while (terms.size() < length) terms.insert(static_cast<std::uint32_t>(random() % csr.columns));
    test::add_row(csr, terms, random);
  }
  return csr;
}

/// What comes to a mirror is searched after what it had: by then the blocks of a team have found
/// different things. Teams answer only in batches that occupy all of the device.
CUDA_TEST_CASE("twins agree on very long queries of a mirror that grew", "[twins]") {
  const Csr pieces[] = {rows_with_long_ones(21), rows_with_long_ones(22), rows_with_long_ones(23)};
  const auto weigh =
      GENERATE(from_range(test::raced(std::vector{test::ltc_weighting, test::nnn_weighting})));
  const TermWeighting weighting = weigh(pieces[0].view());
  Twins twins(pieces[0], weighting, {});
  test::SegmentedMirror mirror(pieces[0].view());
  twins.refresh(mirror.list(), weighting);
  Queries queries = row_queries(pieces[0], weighting, 600);
  for (const Csr& piece : pieces) {
    for (std::uint32_t row = piece.rows() - 3; row < piece.rows(); ++row)
      test::add_row_query(queries, piece.view(), row, weighting);
    if (&piece == pieces) continue;
    twins.refresh(mirror.add(piece.view()).list(), weighting);
  }
  const RowSet allowed = test::random_rows(3 * pieces[0].rows(), 0.5, 24);
  for (const std::size_t k : test::raced(std::vector<std::size_t>{10, 1, 300})) {
    CAPTURE(k);
    check_nearest(twins, queries, k, nullptr);
    check_nearest(twins, queries, k, &allowed);
  }
}

/// The mirror grows by a third and gains terms, and every `step`-th row dies.
CUDA_TEST_CASE("twins agree after rows were added and others died", "[twins]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 1, 129, 70001);
  const auto step = GENERATE(as<std::uint32_t>{}, 2, 50);
  CAPTURE(rows, step);
  const Csr csr = test::random_csr({.rows = rows, .columns = 500}, rows);
  const Csr added = test::random_csr({.rows = rows / 3 + 1, .columns = 600}, rows + 1);
  const test::Labels labels = test::random_labels(csr.rows(), 9, 1);
  const test::Labels added_labels = test::random_labels(added.rows(), 9, 2);
  const auto weigh = GENERATE(from_range(
      test::raced(std::vector{test::ltc_weighting, test::ltn_weighting, test::nnn_weighting})));
  const TermWeighting weighting = weigh(csr.view());
  const TermWeighting later = weigh(added.view());
  Twins twins(csr, weighting, labels);
  test::SegmentedMirror mirror(csr.view(), labels.view());
  twins.refresh(mirror.list(), weighting);
  mirror.add(added.view(), added_labels.view());
  mirror.kill(test::every_row(step, rows + added.rows()).to_vector());
  twins.refresh(mirror.list(), later);
  const Queries queries = row_queries(added, later, 50);
  check_nearest(twins, queries, 30, nullptr);
  check_vote(twins, queries, {30, 5, nullptr, {}});
}

}  // namespace
}  // namespace kindred
