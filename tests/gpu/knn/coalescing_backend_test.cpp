// Calls of several threads that share batches get the answers that they would get alone.
#include "gpu/knn/coalescing_backend.h"

#include "gpu/document_set.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/hooked_backend.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::error_of;

/// Runs call(i) for i < threads, each in a thread of its own.
void in_threads(std::size_t threads, const std::function<void(std::size_t)>& call) {
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) all.emplace_back(call, i);
  for (std::thread& thread : all) thread.join();
}

/// Sees the calls of a backend, and records how many queries each has. If `hold` is set, a call
/// first waits until `hold` calls have been announced, and a moment more.
struct Watch {
  std::mutex mutex;
  std::vector<std::size_t> batches;
  std::atomic<std::size_t> announced{0};
  std::size_t hold = 0;
  bool fails = false;

  std::unique_lock<std::mutex> see(std::size_t queries) {
    {
      const std::lock_guard lock(mutex);
      batches.push_back(queries);
    }
    while (announced < hold) std::this_thread::yield();
    if (hold > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (fails) throw Error(Errc::kDevice, "the device fails, as it was told to");
    return test::device_turn();
  }
};

/// A small mirror, and its coalescing backend over a watched one.
struct CoalescingFixture {
  explicit CoalescingFixture(const char* kind = "cpu") {
    const SegmentListPointer mirror = test::SegmentedMirror(csr.view(), labels.view()).list();
    plain = make_backend(mirror, weighting, test::options(kind, 1));
    backend = coalesce(std::make_unique<test::HookedBackend>(
        make_backend(mirror, weighting, test::options(kind, 1)),
        [this](std::size_t queries) { return watch.see(queries); }));
  }

  Queries query(std::size_t i) const {
    Queries queries;
    test::add_row_query(queries, csr.view(), row(i), weighting);
    return queries;
  }
  QueryView counts(std::size_t i, std::vector<std::uint64_t>& row_begin) const {
    const std::uint64_t begin = csr.row_begin[row(i)];
    row_begin = {0, csr.row_begin[row(i) + std::size_t{1}] - begin};
    return {1, row_begin.data(), csr.column.data() + begin, nullptr, csr.count.data() + begin};
  }
  std::uint32_t row(std::size_t i) const {
    return static_cast<std::uint32_t>(i * 7919 % csr.rows());
  }

  Csr csr = test::random_csr({.rows = 2000, .columns = 300}, 1);
  test::Labels labels = test::random_labels(2000, 15, 2);
  TermWeighting weighting = test::ltc_weighting(csr.view());
  Watch watch;
  std::unique_ptr<const Backend> plain, backend;
};

/// Makes one call, of a sort that depends on `i`. True if both backends give the same answer.
bool agrees(const CoalescingFixture& fixture, std::size_t i, const DocumentSet& filter) {
  const std::size_t k = 1 + i % 30;
  const DocumentSet* allowed = i % 5 == 0 ? &filter : nullptr;
  std::vector<std::uint64_t> row_begin;
  const Queries queries = fixture.query(i);
  const QueryView query = i % 2 == 0 ? queries.view() : fixture.counts(i, row_begin);
  if (i % 3 != 0) {
    std::vector<Neighbor> found(k);
    fixture.backend->nearest(query, k, allowed, found);
    const auto turn = test::device_turn();
    return found == fixture.plain->nearest(queries, k, allowed);
  }
  const std::uint32_t exclude[] = {i % 4 == 0 ? kNoDocument : fixture.row(i) + 1};
  Vote vote{20, k, allowed, {}};
  if (i % 7 != 0) vote.exclude = exclude;
  std::vector<LabelShare> found(k), expected(k);
  fixture.backend->vote(query, vote, found);
  const auto turn = test::device_turn();
  fixture.plain->vote(queries.view(), vote, expected);
  return found == expected;
}

KNN_TEST_CASE("calls of any sort from many threads get the answers that they get alone",
              "[coalescing]") {
  const CoalescingFixture fixture(kind);
  const RowSet rows = test::random_rows(2000, 0.3, 4);
  const DocumentSet filter = *test::DocumentsOf(*fixture.plain, &rows);
  constexpr std::size_t kThreads = 8;
  const std::size_t calls = test::affordable<std::size_t>(60, 2);
  std::vector<std::size_t> right(kThreads);
  in_threads(kThreads, [&](std::size_t t) {
    for (std::size_t i = 0; i < calls; ++i)
      right[t] += agrees(fixture, t + i * kThreads, filter) ? 1 : 0;
  });
  CHECK(right == std::vector<std::size_t>(kThreads, calls));
}

TEST_CASE("calls that come while a batch runs make one batch, each with its own k",
          "[coalescing]") {
  CoalescingFixture fixture;
  constexpr std::size_t kThreads = 12;
  fixture.watch.hold = kThreads;
  std::vector<int> right(kThreads);
  in_threads(kThreads, [&](std::size_t i) {
    const Queries query = fixture.query(i);
    ++fixture.watch.announced;
    const auto found = fixture.backend->nearest(query, 1 + i);
    right[i] = found == fixture.plain->nearest(query, 1 + i) ? 1 : 0;
  });
  CHECK(right == std::vector<int>(kThreads, 1));
  std::size_t sum = 0;
  for (const std::size_t batch : fixture.watch.batches) sum += batch;
  CHECK(sum == kThreads);
  CHECK(fixture.watch.batches.front() == 1);
  CHECK(fixture.watch.batches.size() < kThreads);
}

TEST_CASE("calls that cannot share a batch go straight on", "[coalescing]") {
  const CoalescingFixture fixture;
  Queries two = fixture.query(1);
  test::add_row_query(two, fixture.csr.view(), 5, fixture.weighting);
  CHECK((fixture.backend->nearest(two, 9) == fixture.plain->nearest(two, 9)));
  const Queries one = fixture.query(1);
  CHECK((fixture.backend->nearest(one, 1500) == fixture.plain->nearest(one, 1500)));
  CHECK(fixture.backend->nearest(Queries{}, 9).empty());
  CHECK(fixture.watch.batches == std::vector<std::size_t>{2, 1, 0});
}

TEST_CASE("a failure reaches every caller of the batch, and the next one is well again",
          "[coalescing]") {
  CoalescingFixture fixture;
  constexpr std::size_t kThreads = 8;
  fixture.watch.hold = kThreads;
  fixture.watch.fails = true;
  std::vector<Errc> codes(kThreads);
  in_threads(kThreads, [&](std::size_t i) {
    const Queries query = fixture.query(i);
    ++fixture.watch.announced;
    codes[i] = error_of([&] { fixture.backend->nearest(query, 5); }).code();
  });
  CHECK(codes == std::vector<Errc>(kThreads, Errc::kDevice));
  fixture.watch.fails = false;
  CHECK(error_of([&] { fixture.backend->nearest(fixture.query(3), 5); }).code() == Errc::kOk);
}

TEST_CASE("wrong arguments fail their caller alone", "[coalescing]") {
  CoalescingFixture fixture;
  constexpr std::size_t kThreads = 8;
  fixture.watch.hold = kThreads;
  std::vector<Errc> codes(kThreads);
  in_threads(kThreads, [&](std::size_t i) {
    Queries query = fixture.query(i);
    if (i == 3)
      query = Queries{}, query.add_weights(std::vector<std::uint32_t>{300}, std::vector{1.});
    ++fixture.watch.announced;
    codes[i] = error_of([&] { fixture.backend->nearest(query, i == 5 ? 0 : 5); }).code();
  });
  for (std::size_t i = 0; i < kThreads; ++i)
    CHECK(codes[i] == (i == 3 || i == 5 ? Errc::kInvalidArgument : Errc::kOk));
  const Vote bad{5, 0, nullptr, {}};
  CHECK(error_of([&] { fixture.backend->vote(fixture.query(1).view(), bad, {}); }).code() ==
        Errc::kInvalidArgument);
}

KNN_TEST_CASE("what refreshed() makes of it knows the rows and terms that were added or replaced",
              "[coalescing]") {
  const CoalescingFixture fixture(kind);
  std::vector<std::uint32_t> replaced(GENERATE(0, 10));
  std::iota(replaced.begin(), replaced.end(), fixture.csr.rows() - 4);
  const Csr added = test::random_csr({.rows = 10, .columns = 310}, 3);
  TermWeighting weighting = fixture.weighting;
  weighting.idf.resize(310, 1.0);
  const SegmentListPointer change = test::SegmentedMirror(fixture.csr.view(), fixture.labels.view())
                                        .add(added.view(), {}, replaced)
                                        .list();
  const auto backend = fixture.backend->refreshed(change, weighting);
  const auto plain = fixture.plain->refreshed(change, weighting);
  Queries query;
  query.add_weights(std::vector<std::uint32_t>{2, 309}, std::vector<double>{1, 1});
  CHECK((backend->nearest(query, 50) == plain->nearest(query, 50)));
  const DocumentSet all = DocumentSet::all(change);
  const DocumentSet of_before = DocumentSet::all(fixture.backend->mirror());
  CHECK((backend->nearest(query, 50, &all) == plain->nearest(query, 50)));
  CHECK(error_of([&] { backend->nearest(query, 50, &of_before); }).code() ==
        Errc::kInvalidArgument);
  CHECK(backend->info().kind == kind);
}

}  // namespace
}  // namespace kindred
