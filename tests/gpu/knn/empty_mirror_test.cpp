// A mirror without a document that could be a neighbor answers "none", whatever it is asked. Terms
// weigh something though no document has them, as after a tuning, whose weights stay.
#include <numeric>
#include <span>

#include "gpu/document_set.h"
#include "gpu/knn/coalescing_backend.h"
#include "gpu/knn/replicated_backend.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

constexpr std::uint32_t kColumns = 400;

/// Ways in which a mirror can be empty.
enum class Empty { kNoSegment, kNoLivingRow, kNoLivingRowOfTwo, kNoTerms, kNoWeight };
constexpr Empty kAll[] = {Empty::kNoSegment, Empty::kNoLivingRow, Empty::kNoLivingRowOfTwo,
                          Empty::kNoTerms, Empty::kNoWeight};

struct EmptyMirror {
  explicit EmptyMirror(Empty how) {
    weighting.idf.assign(kColumns, how == Empty::kNoWeight ? 0 : 1.5);
    if (how == Empty::kNoTerms) {
      rows.column.clear(), rows.count.clear();
      std::ranges::fill(rows.row_begin, 0);
    }
    mirror.widen(kColumns);
    if (how == Empty::kNoSegment) return;
    mirror.add(rows.view(), labels.view());
    if (how == Empty::kNoLivingRowOfTwo) mirror.add(rows.view(), labels.view());
    std::vector<std::uint32_t> all(mirror.rows());
    std::iota(all.begin(), all.end(), 0u);
    if (how == Empty::kNoLivingRow || how == Empty::kNoLivingRowOfTwo) mirror.kill(all);
  }

  Csr rows = test::random_csr({.rows = 300, .columns = kColumns}, 1);
  test::Labels labels = test::random_labels(300, 9, 2);
  TermWeighting weighting = test::ltc_weighting(rows.view());
  test::SegmentedMirror mirror;
};

/// Checks that each kind of call finds nothing. Queries are of 1 term, of some, and of all.
void check_finds_nothing(const Backend& backend) {
  for (const std::size_t queries : {1u, 3u, 100u, 700u}) {
    for (const std::uint32_t terms : {0u, 1u, 90u, 200u, kColumns}) {
      std::vector<std::uint64_t> begin{0};
      std::vector<std::uint32_t> term;
      for (std::size_t q = 0; q < queries; ++q) {
        for (std::uint32_t t = 0; t < terms; ++t) term.push_back(t);
        begin.push_back(term.size());
      }
      const std::vector<std::uint16_t> count(term.size(), 2);
      const std::vector<double> weight(term.size(), .25);
      const std::vector<std::uint32_t> exclude(queries, 5);
      const DocumentSet nobody(backend.mirror()), all = DocumentSet::all(backend.mirror());
      const QueryView of_counts{queries, begin.data(), term.data(), nullptr, count.data()};
      const QueryView of_weights{queries, begin.data(), term.data(), weight.data(), nullptr};
      CAPTURE(queries, terms);
      for (const QueryView& view : {of_counts, of_weights}) {
        for (const DocumentSet* const among :
             {static_cast<const DocumentSet*>(nullptr), &nobody, &all}) {
          for (const std::size_t k : {1u, 45u, 1100u}) {
            std::vector<Neighbor> found(queries * k, Neighbor{7, 1});
            backend.nearest(view, k, among, found);
            CHECK(std::ranges::count(found, Neighbor{}) ==
                  static_cast<std::ptrdiff_t>(found.size()));
          }
          for (const std::span<const std::uint32_t> leaves_out :
               {std::span<const std::uint32_t>{}, std::span(exclude)}) {
            std::vector<LabelShare> shares(queries * 3, LabelShare{7, 1});
            backend.vote(view, {45, 3, among, leaves_out}, shares);
            CHECK(std::ranges::count(shares, LabelShare{}) ==
                  static_cast<std::ptrdiff_t>(shares.size()));
          }
        }
      }
    }
  }
  Queries wrong;
  wrong.add_weights(std::vector<std::uint32_t>{kColumns}, std::vector<double>{1});
  CHECK(test::code_of([&] { backend.nearest(wrong, 3); }) == Errc::kInvalidArgument);
}

KNN_TEST_CASE("an empty mirror finds nothing, whatever it is asked", "[empty]") {
  const EmptyMirror empty(GENERATE(from_range(std::begin(kAll), std::end(kAll))));
  const auto backend = make_backend(empty.mirror.list(), empty.weighting, test::options(kind));
  CHECK(backend->longest() == 0);
  check_finds_nothing(*backend);
}

KNN_TEST_CASE("replicas of an empty mirror find nothing", "[empty]") {
  const EmptyMirror empty(GENERATE(Empty::kNoSegment, Empty::kNoLivingRowOfTwo));
  std::vector<std::unique_ptr<const Backend>> replicas;
  for (int i = 0; i < 2; ++i)
    replicas.push_back(
        coalesce(make_backend(empty.mirror.list(), empty.weighting, test::options(kind, 2))));
  check_finds_nothing(*replicate(std::move(replicas), 2));
}

KNN_TEST_CASE("a mirror that is emptied finds nothing, and is filled again", "[empty]") {
  EmptyMirror empty(Empty::kNoLivingRow);
  test::SegmentedMirror alive(empty.rows.view(), empty.labels.view());
  const auto before = make_backend(alive.list(), empty.weighting, test::options(kind));
  Queries queries;
  for (std::uint32_t row = 0; row < 100; ++row)
    test::add_row_query(queries, empty.rows.view(), row, empty.weighting);
  const auto expected = before->nearest(queries, 9);
  std::vector<std::uint32_t> all(alive.rows());
  std::iota(all.begin(), all.end(), 0u);
  const auto emptied = before->refreshed(alive.kill(all).list(), empty.weighting);
  CHECK(emptied->longest() == 0);
  check_finds_nothing(*emptied);
  alive.add(empty.rows.view(), empty.labels.view(), all);
  CHECK(emptied->refreshed(alive.list(), empty.weighting)->nearest(queries, 9) == expected);
}

}  // namespace
}  // namespace kindred
