// The program runs out of memory in the middle of a call. The call throws, nothing else happens,
// and the next call is answered.
#include <new>

#include "tests/fixtures/allocation_limit.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

/// Calls `work` with room for 0, 1, 2 ... allocations, until it does not throw. After each failure,
/// checks that `work` succeeds without a limit.
template <typename Prepare, typename Work>
void run_out_of_memory(Prepare&& prepare, Work&& work) {
  constexpr std::size_t kEnough = 3000;
  std::size_t room = 0;
  for (bool fails = true; fails; ++room) {
    REQUIRE(room < kEnough);
    auto prepared = prepare();
    fails = false;
    try {
      const test::AllocationLimit limit(room);
      work(*prepared);
    } catch (const std::bad_alloc&) {
      fails = true;
    } catch (const Error&) {
      fails = true;
    }
    if (fails) work(*prepared);
  }
  CHECK(room > 1);
}

}  // namespace

TWIN_TEST_CASE("a call that runs out of memory throws, and the next is answered",
               "[memory][large]") {
  const Csr csr = test::random_csr({.rows = 300, .columns = 60}, 1);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const test::Labels labels = test::random_labels(300, 9, 2);
  const auto rows = GENERATE(as<std::size_t>{}, 1, 100);
  const bool filters = GENERATE(false, true);
  CAPTURE(rows, filters);
  Queries queries;
  for (std::uint32_t row = 0; row < rows; ++row)
    test::add_row_query(queries, csr.view(), row, weighting);
  const RowSet half = test::random_rows(300, 0.5, 3);
  const SegmentListPointer mirror = test::SegmentedMirror(csr.view(), labels.view()).list();
  const auto make = [&] { return make_backend(mirror, weighting, test::options(kind, 1)); };
  const test::DocumentsOf allowed(*make(), filters ? &half : nullptr);
  const auto expected = make()->nearest(queries, 5, allowed);
  std::vector<LabelShare> expected_shares(rows * 2), shares(rows * 2);
  make()->vote(queries.view(), {5, 2, allowed, {}}, expected_shares);
  std::vector<Neighbor> neighbors(rows * 5);
  run_out_of_memory(make, [&](const Backend& backend) {
    backend.nearest(queries.view(), 5, allowed, neighbors);
  });
  CHECK(neighbors == expected);
  run_out_of_memory(make, [&](const Backend& backend) {
    backend.vote(queries.view(), {5, 2, allowed, {}}, shares);
  });
  CHECK(shares == expected_shares);
}

}  // namespace kindred
