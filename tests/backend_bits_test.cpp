// One answer everywhere: the same bits for every instruction set, number of threads and run.
#include <thread>

#include "config/error.h"
#include "gpu/backend.h"
#include "tests/catch.h"
#include "tests/knn_oracle.h"

namespace kindred {
namespace {

using test::ForcedInstructionSet;

constexpr const char* kInstructionSets[] = {"baseline", "avx2", "avx512"};

/// A backend with a forced instruction set, or null where the processor lacks it.
std::unique_ptr<const Backend> make_forced(const Csr& csr, const TermWeighting& weighting,
                                           const char* set, std::size_t threads) try {
  const ForcedInstructionSet forced(set);
  auto backend = make_backend(csr.view(), weighting, {"cpu", threads});
  CHECK(backend->device().find(set) != std::string::npos);
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

void check_same_bits(const Csr& csr, const TermWeighting& weighting, std::uint32_t queries_wanted,
                     const RowBits* allowed) {
  const Queries queries = some_queries(csr, weighting, queries_wanted);
  const auto k = GENERATE(as<std::size_t>{}, 1, 17, 200);
  const auto expected = make_forced(csr, weighting, "baseline", 1)->nearest(queries, k, allowed);
  for (const char* set : kInstructionSets)
    for (const std::size_t threads : {1, 2, 8}) {
      CAPTURE(set, threads, k);
      const auto backend = make_forced(csr, weighting, set, threads);
      if (backend == nullptr) continue;
      CHECK((backend->nearest(queries, k, allowed) == expected));
      CHECK((backend->nearest(queries, k, allowed) == expected));
    }
}

TEST_CASE("instruction sets, threads and runs agree on every bit of a batch", "[backend][bits]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 33, 300, 40000);
  CAPTURE(rows);
  const Csr csr = test::random_csr({.rows = rows, .columns = 500, .mean_length = 20}, rows);
  check_same_bits(csr, test::ltc_weighting(csr.view()), 60, nullptr);
}

TEST_CASE("instruction sets, threads and runs agree on every bit of a query split over tiles",
          "[backend][bits]") {
  const Csr csr = test::random_csr({.rows = 530000, .columns = 4000, .mean_length = 5}, 4);
  check_same_bits(csr, test::ntc_weighting(csr.view()), 2, nullptr);
}

TEST_CASE("instruction sets, threads and runs agree on every bit under a filter",
          "[backend][bits]") {
  const Csr csr = test::random_csr({.rows = 70001, .columns = 500}, 4);
  std::vector<std::uint64_t> words((csr.rows() + 63) / 64, 0x8001000010204081u);
  const bool few = GENERATE(false, true);
  for (std::size_t i = 0; few && i < words.size(); ++i) words[i] = i % 10 == 0 ? 1 : 0;
  const RowBits allowed = words;
  check_same_bits(csr, test::ltc_weighting(csr.view()), 40, &allowed);
}

TEST_CASE("calls from several threads at once get the same answers", "[backend][bits]") {
  const Csr csr = test::random_csr({.rows = 2000}, 6);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto backend = make_backend(csr.view(), weighting, {"cpu", 2});
  const Queries queries = some_queries(csr, weighting, 300);
  const auto expected = backend->nearest(queries, 10);
  std::vector<int> same(6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < same.size(); ++i)
    threads.emplace_back([&, i] { same[i] = backend->nearest(queries, 10) == expected ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  CHECK(same == std::vector<int>(same.size(), 1));
}

TEST_CASE("an instruction set that does not exist is refused", "[backend]") {
  const Csr csr = test::random_csr({}, 6);
  const ForcedInstructionSet forced("sse9");
  try {
    make_backend(csr.view(), test::ltc_weighting(csr.view()), {});
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == Errc::kUnsupported);
  }
}

}  // namespace
}  // namespace kindred
