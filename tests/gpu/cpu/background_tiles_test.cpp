// Tiles are made once, when that pays, beside those who go on without them. A backend gives the
// same bits without its tiles, while they are made and with them, whatever happens meanwhile.
#include "gpu/cpu/background_tiles.h"

#include <condition_variable>
#include <deque>
#include <new>

#include "tests/fixtures/living_mirror.h"
#include "tests/fixtures/thread_limit.h"

namespace kindred {
namespace {

using cpu::BackgroundTiles;
using cpu::Tiles;

constexpr std::size_t kMany = 40;  // queries, a call of which waits for tiles

/// Holds back those who build tiles until it is open, and counts the builds.
class Gate {
 public:
  explicit Gate(bool is_open) : is_open_(is_open) {}

  Tiles build(const Tiles& former, const SegmentList& mirror, const std::atomic<bool>* stop) {
    std::unique_lock lock(mutex_);
    ++builds_;
    changed_.notify_all();
    while (!is_open_ && (stop == nullptr || !*stop))
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    if (stop != nullptr && *stop) throw cpu::TilesStopped{};
    if (fails_) throw std::bad_alloc();
    return cpu::make_tiles(former, mirror, {}, 1, stop);
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
  }
  void fail(bool fails) {
    const std::lock_guard lock(mutex_);
    fails_ = fails;
  }
  void wait_for_build() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return builds_ > 0; });
  }
  int builds() {
    const std::lock_guard lock(mutex_);
    return builds_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_, fails_ = false;
  int builds_ = 0;
};

/// A mirror that is large enough for a thread of its own.
const Csr& rows() {
  static const Csr csr = test::random_csr({.rows = 9000, .columns = 2000}, 1);
  return csr;
}

/// The tiles of rows(), and of later states of that mirror.
class States {
 public:
  explicit States(Gate& gate, std::size_t threads = 2)
      : gate_(gate), rows_(rows().view()), mirror_(rows_.list()) {
    const auto make = [this](const Tiles& former, const SegmentList& mirror,
                             const std::atomic<bool>* stop) {
      return gate_.build(former, mirror, stop);
    };
    tiles_.push_back(std::make_unique<BackgroundTiles>(
        mirror_, BackgroundTiles::Options{TileTiming::kWhenItPays, threads, make}, nullptr));
  }

  void grow() {
    mirror_ = rows_.add(added_.view()).list();
    BackgroundTiles& before = *tiles_.back();
    tiles_.push_back(std::make_unique<BackgroundTiles>(mirror_, before.options(), &before));
  }
  void forget_former() { tiles_.erase(tiles_.begin(), tiles_.end() - 1); }

  BackgroundTiles& latest() { return *tiles_.back(); }
  /// Whether a call with so many queries gets tiles; they are of all rows.
  bool gives(std::size_t queries) {
    const Tiles* const tiles = latest().for_queries(queries);
    if (tiles != nullptr) REQUIRE(tiles->back().end_place() == mirror_->places());
    return tiles != nullptr;
  }
  void wait_until_ready() {
    while (!gives(1)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  Gate& gate_;
  const Csr added_ = test::random_csr({.rows = 20, .columns = 2000}, 2);
  test::SegmentedMirror rows_;
  SegmentListPointer mirror_;
  std::deque<std::unique_ptr<BackgroundTiles>> tiles_;
};

TEST_CASE("the first query makes no tiles, and the second does not wait for them", "[background]") {
  Gate gate(false);
  States states(gate);
  CHECK_FALSE(states.gives(1));
  CHECK(gate.builds() == 0);
  CHECK_FALSE(states.gives(1));
  gate.wait_for_build();
  for (int q = 0; q < 40; ++q) CHECK_FALSE(states.gives(1));
  CHECK(states.latest().bytes() == 0);
  gate.open();
  CHECK(states.gives(kMany));  // waits for them
  CHECK(states.latest().bytes() > 0);
  CHECK(states.gives(1));
  CHECK(gate.builds() == 1);
}

TEST_CASE("a call with many queries makes the tiles, and a single one takes them when ready",
          "[background]") {
  Gate gate(true);
  States waiting(gate), other(gate);
  CHECK(waiting.gives(kMany));
  other.wait_until_ready();
  CHECK(gate.builds() == 2);
}

TEST_CASE("tiles that are being made can be destroyed", "[background]") {
  for (int i = 0; i < 20; ++i) {
    Gate gate(false);
    States states(gate);
    states.gives(1);
    states.gives(1);
    if (i % 2 == 0) gate.wait_for_build();
  }
}

TEST_CASE("many threads that ask share one build", "[background]") {
  Gate gate(false);
  States states(gate);
  std::vector<std::thread> threads;
  std::atomic<int> without = 0;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      for (int q = 0; q < 20; ++q) {
        states.latest().for_queries(1);
        if (i == 0 && q == 10) gate.open();
        if (i < 3 && q == 11 && states.latest().for_queries(kMany) == nullptr) ++without;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(without == 0);
  CHECK(gate.builds() == 1);
}

TEST_CASE("tiles that do not fit into memory leave single queries without them", "[background]") {
  Gate gate(true);
  gate.fail(true);
  States states(gate);
  for (int q = 0; q < 30; ++q) CHECK_FALSE(states.gives(1));
  CHECK_THROWS_AS(states.gives(kMany), std::bad_alloc);
  CHECK_FALSE(states.gives(1));
  gate.fail(false);
  SECTION("the next call that would wait tries again") { CHECK(states.gives(kMany)); }
  SECTION("so does the next state of the mirror") {
    states.grow();
    states.wait_until_ready();
  }
}

TEST_CASE("without another thread, the caller makes the tiles when that pays", "[background]") {
  const auto threads = GENERATE(as<std::size_t>{}, 1, 2);
  CAPTURE(threads);
  const test::ThreadLimit limit(0);
  Gate gate(true);
  States states(gate, threads);
  for (int q = 0; q < 10; ++q) CHECK_FALSE(states.gives(1));
  CHECK(gate.builds() == 0);
  for (int q = 10; q < 20; ++q) states.gives(1);
  CHECK(states.gives(1));
  CHECK(gate.builds() == 1);
  if (threads == 1) CHECK(limit.wanted() == 0);
}

TEST_CASE("states of a mirror that follow one another share one build", "[background]") {
  Gate gate(false);
  States states(gate);
  states.gives(1);
  states.gives(1);
  gate.wait_for_build();
  const bool keeps_former = GENERATE(false, true);
  for (int i = 0; i < 10; ++i) {
    states.grow();
    if (!keeps_former) states.forget_former();
    CHECK_FALSE(states.gives(2));
  }
  CHECK(gate.builds() == 1);
  gate.open();
  CHECK(states.gives(kMany));
  CHECK(gate.builds() == 2);  // the second of what was added meanwhile
  states.grow();
  CHECK(gate.builds() == 3);  // at once, as the state before has its tiles
  CHECK(states.gives(1));
}

TEST_CASE("queries and changes in any order give the same bits", "[background]") {
  std::mt19937_64 random(GENERATE(1, 2, 3));
  test::LivingMirror mirror("cpu", rows(), test::ltc_weighting, 2);
  std::vector<std::unique_ptr<const Backend>> former;
  const auto answers_like_one_without_tiles = [&](std::size_t n) {
    Queries queries;
    for (std::size_t q = 0; q < n; ++q)
      test::add_row_query(queries, rows().view(), static_cast<std::uint32_t>(random() % 9000),
                          mirror.weighting());
    const std::vector<Neighbor> found = mirror.backend().nearest(queries, 10);
    const test::ForcedTiles none(TileTiming::kNever);
    return make_backend(mirror.list(), mirror.weighting(), test::options("cpu", 1))
               ->nearest(queries, 10) == found;
  };
  for (int i = 0; i < 60; ++i) {
    const auto step = random() % 8;
    const auto more = static_cast<std::uint32_t>(1 + random() % 300);
    if (step < 3)
      former.push_back(
          mirror.change(test::random_csr({.rows = more, .columns = 2000}, random()), {}));
    if (step == 3) former.clear();
    if (step > 3) CHECK(answers_like_one_without_tiles(step == 7 ? kMany : step - 3));
  }
}

TEST_CASE("backends of two weightings share the tiles of their mirror", "[background]") {
  const TermWeighting one = test::ltc_weighting(rows().view());
  const TermWeighting other = test::ntc_weighting(rows().view());
  const SegmentListPointer mirror = test::SegmentedMirror(rows().view()).list();
  const auto first = make_backend(mirror, one, test::options("cpu", 2));
  const auto second = first->refreshed(mirror, other);
  const std::uint64_t without = first->info().bytes;
  Queries queries;
  for (std::uint32_t q = 0; q < kMany; ++q) test::add_row_query(queries, rows().view(), q, other);
  second->nearest(queries, 10);
  CHECK(first->info().bytes > without);
}

}  // namespace
}  // namespace kindred
