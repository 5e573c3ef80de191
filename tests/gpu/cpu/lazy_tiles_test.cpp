// A backend answers without its tiles, while they are made and with them: to the same bits,
// whatever happens meanwhile.
#include "gpu/cpu/mirror/lazy_tiles.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/twins/factory.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/forced_tiles.h"
#include "tests/fixtures/random_csr.h"
#include "tests/fixtures/thread_limit.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using cpu::LazyTiles;
using cpu::TileTiming;
using test::TileHook;

constexpr std::size_t kMany = 40;  // queries, a call of which waits for tiles

/// Holds back those who make tiles, and counts the tiles that they began.
class Gate {
 public:
  static void pass() {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(20), [] { return is_open_; });
  }
  static void open() { set(true); }
  static void close() {
    const std::lock_guard lock(mutex_);
    begun_ = 0;
    is_open_ = false;
  }
  static void wait_for_first() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [] { return begun_ > 0; });
  }
  static int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  static void set(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_open_ = is_open;
    changed_.notify_all();
  }
  static inline std::mutex mutex_;
  static inline std::condition_variable changed_;
  static inline bool is_open_ = true;
  static inline int begun_ = 0;
};

/// A mirror that is large enough for a thread of its own.
struct Rows {
  Csr csr = test::random_csr({.rows = 9000, .columns = 2000}, 1);
  TermWeighting weighting = test::ltc_weighting(csr.view());
  std::vector<Neighbor> expected;

  Rows() {
    const test::ForcedTiles tiles(TileTiming::kAtOnce);
    expected = make()->nearest(queries(0, kMany), 10);
  }
  std::unique_ptr<const Backend> make(std::size_t threads = 2) const {
    return make_backend(csr.view(), weighting, test::options("cpu", threads));
  }
  Queries queries(std::uint32_t first, std::size_t n) const {
    Queries result;
    for (std::uint32_t q = first; q < first + n; ++q)
      test::add_row_query(result, csr.view(), q * 7, weighting);
    return result;
  }
  bool answers(const Backend& backend, std::uint32_t first, std::size_t n = 1) const {
    const std::vector<Neighbor> found = backend.nearest(queries(first, n), 10);
    return std::equal(found.begin(), found.end(), expected.begin() + first * 10);
  }
};

const Rows& rows() {
  static const Rows all;
  return all;
}

/// No tile is made before the gate is opened, or this goes.
struct ClosedGate {
  ClosedGate() { Gate::close(); }
  ~ClosedGate() { Gate::open(); }
  const Rows& all = rows();  ///< whose answers take tiles
  TileHook hook{Gate::pass};
};

/// Asks one query after the other until the backend has more memory than at first.
void ask_until_ready(const Backend& backend) {
  const std::uint64_t without = backend.info().bytes;
  while (backend.info().bytes == without) {
    REQUIRE(rows().answers(backend, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("the first query makes no tiles, and the second does not wait for them", "[lazy]") {
  const ClosedGate gate;
  const auto backend = rows().make();
  const std::uint64_t without = backend->info().bytes;
  CHECK(rows().answers(*backend, 0));
  CHECK(Gate::begun() == 0);
  CHECK(rows().answers(*backend, 1));
  Gate::wait_for_first();
  for (std::uint32_t q = 2; q < kMany; ++q) CHECK(rows().answers(*backend, q));
  CHECK(backend->info().bytes == without);
  Gate::open();
  CHECK(rows().answers(*backend, 0, kMany));  // waits for them
  CHECK(backend->info().bytes > without);
  CHECK(rows().answers(*backend, 5));
  CHECK(Gate::begun() == 1);
}

TEST_CASE("a call with many queries makes the tiles first", "[lazy]") {
  const ClosedGate gate;
  Gate::open();
  const auto backend = rows().make();
  const std::uint64_t without = backend->info().bytes;
  CHECK(rows().answers(*backend, 0, kMany));
  CHECK(backend->info().bytes > without);
}

TEST_CASE("tiles are taken as soon as they are ready", "[lazy]") {
  const auto backend = rows().make();
  ask_until_ready(*backend);
  CHECK(rows().answers(*backend, 3));
}

TEST_CASE("a backend whose tiles are being made can be destroyed", "[lazy]") {
  static std::atomic<int> begun;
  begun = 0;
  rows();
  const TileHook hook([] {
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  for (int i = 0; i < 20; ++i) {
    auto backend = rows().make();
    CHECK(rows().answers(*backend, 0));
    CHECK(rows().answers(*backend, 1));
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(i));
    backend.reset();
  }
  CHECK(begun <= 20);
}

TEST_CASE("many threads ask while the tiles are made", "[lazy]") {
  const ClosedGate gate;
  const auto backend = rows().make();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      for (std::uint32_t q = 0; q < 20; ++q) {
        const auto which = static_cast<std::uint32_t>((q + 3 * i) % kMany);
        if (!rows().answers(*backend, which)) ++wrong;
        if (i == 0 && q == 10) Gate::open();
        if (i < 3 && q == 11 && !rows().answers(*backend, 0, kMany)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(Gate::begun() == 1);
}

TEST_CASE("tiles that do not fit into memory leave single queries without them", "[lazy]") {
  const auto backend = rows().make();
  {
    const TileHook hook([] { throw std::bad_alloc(); });
    const std::uint64_t without = backend->info().bytes;
    for (std::uint32_t q = 0; q < 30; ++q) CHECK(rows().answers(*backend, q));
    CHECK_THROWS_AS(rows().answers(*backend, 0, kMany), std::bad_alloc);
    CHECK(rows().answers(*backend, 4));
    CHECK(backend->info().bytes == without);
  }
  CHECK(rows().answers(*backend, 4));
  CHECK(rows().answers(*backend, 0, kMany));  // tries again
  CHECK(rows().answers(*backend, 4));
}

TEST_CASE("without another thread, the caller makes the tiles when that pays", "[lazy]") {
  const ClosedGate gate;
  Gate::open();
  const auto threads = GENERATE(as<std::size_t>{}, 1, 2);
  CAPTURE(threads);
  const test::ThreadLimit limit(0);
  const auto backend = rows().make(threads);
  for (std::uint32_t q = 0; q < 10; ++q) CHECK(rows().answers(*backend, q));
  CHECK(Gate::begun() == 0);
  for (std::uint32_t q = 10; q < 20; ++q) CHECK(rows().answers(*backend, q));
  CHECK(Gate::begun() == 1);
  if (threads == 1) CHECK(limit.wanted() == 0);
}

/// A mirror that grows by a few rows at a time, and a backend of each state.
class GrowingMirror {
 public:
  explicit GrowingMirror(std::uint64_t seed) : random_(seed) {
    backends_.push_back(rows().make());
    whole_ = rows().csr;
    weightings_.push_back(rows().weighting);
  }

  void grow(std::uint32_t by) {
    added_.push_back(test::random_csr({.rows = by, .columns = 2000}, random_()));
    const Csr& added = added_.back();
    for (const std::uint64_t end : std::span(added.row_begin).subspan(1))
      whole_.row_begin.push_back(whole_.column.size() + end);
    whole_.column.insert(whole_.column.end(), added.column.begin(), added.column.end());
    whole_.count.insert(whole_.count.end(), added.count.begin(), added.count.end());
    weightings_.push_back(test::ltc_weighting(whole_.view()));
    backends_.push_back(backends_.back()->refreshed({added.view(), {}}, weightings_.back()));
  }
  void forget_former() { backends_.erase(backends_.begin(), backends_.end() - 1); }
  const Backend& backend() const { return *backends_.back(); }

  /// Whether the latest backend gives what one that has its tiles at once gives.
  bool answers(std::size_t n) {
    Queries queries;
    for (std::size_t q = 0; q < n; ++q)
      test::add_row_query(queries, whole_.view(), static_cast<std::uint32_t>(random_() % 9000),
                          weightings_.back());
    const std::vector<Neighbor> found = backend().nearest(queries, 10);
    const test::ForcedTiles tiles(TileTiming::kNever);
    return make_backend(whole_.view(), weightings_.back(), test::options("cpu", 1))
               ->nearest(queries, 10) == found;
  }

 private:
  std::mt19937_64 random_;
  Csr whole_;
  std::deque<Csr> added_;
  std::deque<TermWeighting> weightings_;
  std::deque<std::unique_ptr<const Backend>> backends_;
};

TEST_CASE("states of a mirror that follow one another share one making", "[lazy]") {
  const ClosedGate gate;
  GrowingMirror mirror(1);
  CHECK(mirror.answers(1));
  CHECK(mirror.answers(1));
  Gate::wait_for_first();
  const bool keeps_former = GENERATE(false, true);
  for (int i = 0; i < 10; ++i) {
    mirror.grow(20);
    if (!keeps_former) mirror.forget_former();
    CHECK(mirror.answers(1));
    CHECK(mirror.answers(2));
  }
  CHECK(Gate::begun() == 1);
  Gate::open();
  CHECK(mirror.answers(kMany));
  CHECK(Gate::begun() <= 3);  // what was added, and perhaps the small tile before it
  mirror.grow(20);
  CHECK(mirror.answers(1));
  CHECK(Gate::begun() <= 5);
}

TEST_CASE("a backend that follows one with tiles has them at once", "[lazy]") {
  GrowingMirror mirror(2);
  CHECK(mirror.answers(kMany));
  mirror.grow(50);
  const std::uint64_t with = mirror.backend().info().bytes;
  CHECK(mirror.answers(kMany));
  CHECK(mirror.backend().info().bytes == with);
}

TEST_CASE("backends of two weightings share the tiles of their mirror, made or not", "[lazy]") {
  const ClosedGate gate;
  Gate::open();
  const auto backend = rows().make();
  const TermWeighting other = test::ntc_weighting(rows().csr.view());
  MirrorChange nothing;
  nothing.added.columns = rows().csr.columns;
  const auto second = backend->refreshed(nothing, other);
  Queries queries;
  for (std::uint32_t q = 0; q < kMany; ++q)
    test::add_row_query(queries, rows().csr.view(), q, other);
  const std::vector<Neighbor> found = second->nearest(queries, 10);
  CHECK(rows().answers(*backend, 0, kMany));
  CHECK(Gate::begun() == 1);
  const test::ForcedTiles tiles(TileTiming::kNever);
  CHECK(make_backend(rows().csr.view(), other, test::options("cpu", 1))->nearest(queries, 10) ==
        found);
}

TEST_CASE("a making that fails is tried again by the next state of the mirror", "[lazy]") {
  GrowingMirror mirror(3);
  {
    const TileHook hook([] { throw std::bad_alloc(); });
    for (int i = 0; i < 20; ++i) CHECK(mirror.answers(1));
  }
  mirror.grow(10);
  const std::uint64_t without = mirror.backend().info().bytes;
  CHECK(mirror.answers(1));
  CHECK(mirror.answers(kMany));
  CHECK(mirror.backend().info().bytes > without);
}

TEST_CASE("queries and changes in any order give the same bits", "[lazy]") {
  static std::atomic<unsigned> turn;
  static std::atomic<bool> may_fail;  // a change that runs out of memory throws, as it should
  const TileHook hook([] {
    std::this_thread::sleep_for(std::chrono::microseconds(turn.fetch_add(1) % 5 * 2000));
    if (may_fail && turn % 4 == 3) throw std::bad_alloc();
  });
  std::mt19937_64 random(GENERATE(1, 2, 3));
  GrowingMirror mirror(random());
  for (int i = 0; i < 60; ++i) {
    const auto step = random() % 8;
    may_fail = step >= 3;
    if (step < 3) mirror.grow(1 + static_cast<std::uint32_t>(random() % 300));
    if (step == 3) mirror.forget_former();
    if (step > 3) CHECK(mirror.answers(step - 3));
    if (step != 7) continue;
    bool is_right = true;
    try {
      is_right = mirror.answers(kMany);
    } catch (const std::bad_alloc&) {
    }
    CHECK(is_right);
  }
}

}  // namespace
}  // namespace kindred
