// Every instruction set, number of threads and run gives the same bits.
#include "gpu/scoring.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::ForcedInstructionSet;

constexpr const char* kInstructionSets[] = {"baseline", "avx2", "avx512"};

/// A backend with a forced instruction set, or null if the processor lacks it.
std::unique_ptr<const Backend> make_forced(const Csr& csr, const TermWeighting& weighting,
                                           const char* set, std::size_t threads) try {
  const ForcedInstructionSet forced(set);
  auto backend = make_backend(csr.view(), weighting, test::options("cpu", threads));
  CHECK(backend->info().device.find(set) != std::string::npos);
  return backend;
} catch (const Error& e) {
  CHECK(e.code() == Errc::kUnsupported);
  return nullptr;
}

Queries some_queries(const Csr& csr, const TermWeighting& weighting, std::uint32_t n) {
  Queries queries;
  for (std::uint32_t i = 0; i < n; ++i)
    test::add_row_query(queries, csr.view(), i * 7919u % csr.rows(), weighting);
  return queries;
}

constexpr std::size_t kNeighborsAsked[] = {1, 17, 200};

void check_same_bits(const Csr& csr, const TermWeighting& weighting, std::uint32_t queries_wanted,
                     const RowSet* allowed) {
  const Queries queries = some_queries(csr, weighting, queries_wanted);
  std::vector<std::vector<Neighbor>> expected;
  const auto first = make_forced(csr, weighting, "baseline", 1);
  for (const std::size_t k : kNeighborsAsked)
    expected.push_back(first->nearest(queries, k, test::DocumentsOf(*first, allowed)));
  for (const auto timing : {TileTiming::kAtOnce, TileTiming::kNever}) {
    const test::ForcedTiles tiles(timing);
    const int runs = timing == TileTiming::kAtOnce ? 2 : 1;
    for (const char* set : kInstructionSets)
      for (const std::size_t threads : {1, 2, 8}) {
        const auto backend = make_forced(csr, weighting, set, threads);
        for (std::size_t i = 0; backend != nullptr && i < std::size(kNeighborsAsked); ++i)
          for (int run = 0; run < runs; ++run) {
            CAPTURE(set, threads, kNeighborsAsked[i], timing, run);
            CHECK((backend->nearest(queries, kNeighborsAsked[i],
                                    test::DocumentsOf(*backend, allowed)) == expected[i]));
          }
      }
  }
}

TEST_CASE("instruction sets, threads and runs agree on every bit of a batch",
          "[backend][bits][slow]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 33, 300, 40000);
  CAPTURE(rows);
  const auto weigh = GENERATE(test::ltc_weighting, test::ltn_weighting);
  const Csr csr = test::random_csr({.rows = rows, .columns = 500, .mean_length = 20}, rows);
  check_same_bits(csr, weigh(csr.view()), 60, nullptr);
}

TEST_CASE("instruction sets, threads and runs agree on every bit of a query split over tiles",
          "[backend][bits][slow]") {
  const Csr csr = test::random_csr({.rows = 530000, .columns = 4000, .mean_length = 5}, 4);
  check_same_bits(csr, test::ntc_weighting(csr.view()), 2, nullptr);
}

TEST_CASE("instruction sets, threads and runs agree on every bit under a filter",
          "[backend][bits][slow]") {
  const Csr csr = test::random_csr({.rows = 70001, .columns = 500}, 4);
  const bool few = GENERATE(false, true);
  const RowSet allowed =
      few ? test::every_row(640, csr.rows()) : test::random_rows(csr.rows(), 0.12, 5);
  check_same_bits(csr, test::ltc_weighting(csr.view()), 40, &allowed);
}

/// Random documents:
/// - Each of the first `head` terms is in most documents, with many different counts. These terms
///   make up nearly all of a document's length.
/// - The `tail` terms are rare.
/// - Rows repeat with the period `period`, so that a row has ties before and after it.
Csr top_heavy(std::uint32_t rows, std::uint32_t head, std::uint32_t tail, std::uint32_t period) {
  Csr csr;
  csr.columns = head + tail;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::mt19937_64 random(row % period);
    for (std::uint32_t t = 0; t < head; ++t)
      if (random() % 4 != 0) {
        csr.column.push_back(t);
        csr.count.push_back(test::random_count(random));
      }
    if (tail > 0 && random() % 3 != 0) {
      csr.column.push_back(head + static_cast<std::uint32_t>(random() % tail));
      csr.count.push_back(1);
    }
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

/// The k best rows for each query by the definition. Scores every row with the functions of
/// gpu/scoring.h.
std::vector<Neighbor> by_definition(const Csr& csr, const TermWeighting& weighting,
                                    const Queries& queries, std::size_t k, const RowSet* allowed) {
  const auto weight = [&](std::uint64_t i) {
    return weighting.tf[csr.count[i]] * weighting.idf[csr.column[i]];
  };
  std::vector<double> length;
  for (std::uint32_t row = 0; row < csr.rows(); ++row) {
    const std::uint64_t first = csr.row_begin[row];
    length.push_back(euclidean_length(csr.row_begin[row + 1] - first,
                                      [&](std::size_t j) { return weight(first + j); }));
  }
  const double longest = *std::max_element(length.begin(), length.end());
  const double common = weighting.divisor == RowDivisor::kLongest ? longest : 0;
  const int exponent = scale_exponent(longest);
  std::vector<Neighbor> best;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    std::vector<double> factor(csr.columns);
    for (std::size_t i = 0; i < queries.terms(q).size(); ++i)
      factor[queries.terms(q)[i]] = term_factor(
          queries.weights(q)[i], weighting.idf[queries.terms(q)[i]], std::ldexp(1.0, exponent));
    std::vector<Neighbor> all;
    for (std::uint32_t row = 0; row < csr.rows(); ++row) {
      if (allowed != nullptr && !allowed->has(row)) continue;
      std::int64_t sum = 0;
      for (std::uint64_t i = csr.row_begin[row]; i < csr.row_begin[row + 1]; ++i)
        sum += contribution(factor[csr.column[i]], weighting.tf[csr.count[i]]);
      const double reciprocal =
          reciprocal_length(dividing_length(length[row], common), std::ldexp(1.0, -exponent));
      if (const float score = similarity(sum, reciprocal); score > 0)
        all.push_back({row + 1, score});
    }
    std::sort(all.begin(), all.end(), [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.number, b.similarity, b.number);
    });
    all.resize(k);
    best.insert(best.end(), all.begin(), all.end());
  }
  return best;
}

KNN_TEST_CASE("where common terms decide and rows tie, the definition holds on every twin",
              "[backend][bits]") {
  const auto period = GENERATE(as<std::uint32_t>{}, 7, 450, 1000000);
  const auto tail = GENERATE(as<std::uint32_t>{}, 0, 2000);  // 0: every term is common
  const auto k = GENERATE(from_range(test::raced(std::vector<std::size_t>{6000, 10, 1, 70}, 2)));
  const bool filtered = GENERATE(false, true);
  const Csr csr = top_heavy(test::affordable(4500u, 3000u), 12, tail, period);
  const auto weigh =
      GENERATE(from_range(test::raced(std::vector{test::ltc_weighting, test::ltn_weighting})));
  const TermWeighting weighting = weigh(csr.view());
  const Queries queries = some_queries(csr, weighting, test::affordable(5u, 2u));
  const RowSet some = test::random_rows(csr.rows(), 0.15, 6);
  const RowSet* allowed = filtered ? &some : nullptr;
  const std::vector<Neighbor> expected = by_definition(csr, weighting, queries, k, allowed);
  CAPTURE(period, tail, k, filtered);
  if (kind == std::string("cuda")) {
    const auto backend = make_backend(csr.view(), weighting, test::options(kind));
    CHECK((backend->nearest(queries, k, test::DocumentsOf(*backend, allowed)) == expected));
    return;
  }
  for (const char* set : kInstructionSets) {
    CAPTURE(set);
    const auto backend = make_forced(csr, weighting, set, 1);
    if (backend != nullptr)
      CHECK((backend->nearest(queries, k, test::DocumentsOf(*backend, allowed)) == expected));
  }
}

/// Rows that tie with later ones, of common words, which weigh next to nothing, and of rarer ones.
/// Two tiles.
Csr wordy() {
  constexpr std::uint32_t kCommon = 40, kRare = 3000;
  Csr csr;
  csr.columns = kCommon + kRare;
  for (std::uint32_t row = 0; row < 70000; ++row) {
    std::mt19937_64 random(row % 60000);
    for (std::uint32_t t = 0; t < kCommon; ++t)
      if (random() % 100 < 50 + t) {
        csr.column.push_back(t);
        csr.count.push_back(test::random_count(random));
      }
    std::set<std::uint32_t> rare;
    for (std::uint64_t i = random() % 12; i > 0; --i)
      rare.insert(kCommon + static_cast<std::uint32_t>((random() % kRare) * (random() % 64) / 64));
    csr.column.insert(csr.column.end(), rare.begin(), rare.end());
    csr.count.insert(csr.count.end(), rare.size(), 1);
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

TEST_CASE("common words that are left out of sums change no bit", "[backend][bits][slow]") {
  const auto k = GENERATE(as<std::size_t>{}, 1, 45, 300);
  const bool filtered = GENERATE(false, true);
  const Csr csr = wordy();
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  Queries queries = some_queries(csr, weighting, 6);
  // Common words only, then few others: nearly all documents are near.
  const Csr bare{csr.columns, {0, 3, 6}, {0, 5, 30, 1, 39, 45}, {1, 2, 1, 1, 1, 1}};
  for (std::uint32_t row = 0; row < bare.rows(); ++row)
    test::add_row_query(queries, bare.view(), row, weighting);
  const RowSet some = test::random_rows(csr.rows(), 0.15, 6);
  const RowSet* allowed = filtered ? &some : nullptr;
  const std::vector<Neighbor> expected = by_definition(csr, weighting, queries, k, allowed);
  const test::ForcedTiles tiles(TileTiming::kAtOnce);
  for (const char* set : kInstructionSets) {
    CAPTURE(set, k, filtered);
    const auto backend = make_forced(csr, weighting, set, 1);
    if (backend != nullptr)
      CHECK((backend->nearest(queries, k, test::DocumentsOf(*backend, allowed)) == expected));
  }
}

KNN_TEST_CASE("calls from several threads at once get the same answers", "[backend][bits]") {
  const Csr csr = test::random_csr({.rows = 2000}, 6);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto backend = make_backend(csr.view(), weighting, test::options(kind, 2));
  const Queries queries = some_queries(csr, weighting, 300);
  const auto expected = backend->nearest(queries, 10);
  std::vector<int> same(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < same.size(); ++i)
    threads.emplace_back([&, i] {
      const auto turn = test::device_turn();
      same[i] = backend->nearest(queries, 10) == expected ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(same == std::vector<int>(same.size(), 1));
}

TEST_CASE("an instruction set that does not exist is refused", "[backend]") {
  const Csr csr = test::random_csr({}, 6);
  const ForcedInstructionSet forced("sse9");
  const auto make = [&] {
    make_backend(csr.view(), test::ltc_weighting(csr.view()), test::options("cpu"));
  };
  CHECK(test::code_of(make) == Errc::kUnsupported);
}

}  // namespace
}  // namespace kindred
