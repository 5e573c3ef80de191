// The threads of a call. There are at most as many as its options allow, and fewer if the system
// gives fewer, down to the caller alone. Any number of threads gives the same answers.
#include "gpu/som/train.h"
#include "gpu/workers.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/thread_limit.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::ThreadLimit;

/// A mirror with enough rows for several threads in every step. It takes more than a megabyte.
struct LargeMirror {
  Csr rows = test::random_csr({.rows = 70000, .columns = 3000}, 1);
  Csr added = test::random_csr({.rows = 40000, .columns = 3000}, 2);
  TermWeighting weighting = test::ltc_weighting(rows.view());
  test::Labels labels = test::random_labels(70000, 20, 3);
  test::Labels added_labels = test::random_labels(40000, 20, 4);
};

const LargeMirror& large_mirror() {
  static const LargeMirror all;
  return all;
}

struct NeighborsAndShares {
  std::vector<Neighbor> neighbors;
  std::vector<LabelShare> shares;
  friend bool operator==(const NeighborsAndShares&, const NeighborsAndShares&) = default;
};

/// Does everything that a backend does: makes a mirror, adds rows and asks.
NeighborsAndShares ask(const char* kind, std::size_t threads) {
  const LargeMirror& all = large_mirror();
  test::SegmentedMirror mirror(all.rows.view(), all.labels.view());
  const auto before = make_backend(mirror.list(), all.weighting, test::options(kind, threads));
  mirror.add(all.added.view(), all.added_labels.view());
  const auto backend = before->refreshed(mirror.list(), all.weighting);
  Queries queries;
  for (std::uint32_t row = 0; row < 80; ++row)
    test::add_row_query(queries, all.rows.view(), row, all.weighting);
  NeighborsAndShares answers{backend->nearest(queries, 10),
                             std::vector<LabelShare>(queries.rows() * 4)};
  backend->vote(queries.view(), {10, 4, nullptr, {}}, answers.shares);
  return answers;
}

/// Trains a map. If `memory` is enough for a part of the rows only, rows pass in portions.
SomResult train(const char* kind, std::size_t threads, std::size_t memory = 0) {
  const LargeMirror& all = large_mirror();
  static const std::vector<float> weights = unit_weights(all.rows.view(), all.weighting);
  const SomRows rows = SomRows{all.rows.rows(), all.rows.columns, all.rows.row_begin.data(),
                               all.rows.column.data(), weights.data()};
  SomPlan plan;
  plan.lattice = {4, 5, true, false};
  plan.schedule.epochs = 2;
  plan.schedule.sigma_start = 2;
  plan.start = SomStart::kUniform;
  BackendOptions options = test::options(kind, threads);
  options.memory = memory;
  return train_som(*test::make_som_twin(plan.lattice, all.rows.columns, options), {&rows, 1}, plan);
}

}  // namespace

KNN_TEST_CASE("where the system gives few threads or none, a backend answers", "[threads][large]") {
  const NeighborsAndShares expected = ask(kind, 8);
  const auto most = GENERATE(as<std::size_t>{}, 0, 1);
  CAPTURE(most);
  const ThreadLimit limit(most);
  CHECK(ask(kind, 8) == expected);
  CHECK(limit.wanted() > most);
}

TWIN_TEST_CASE("where the system gives few threads or none, a map is trained", "[threads][large]") {
  const std::size_t memory = GENERATE(0, 12 << 20);
  const auto most = GENERATE(as<std::size_t>{}, 0, 1);
  CAPTURE(memory, most);
  const SomResult expected = train(kind, 8, memory);
  const ThreadLimit limit(most);
  const SomResult found = train(kind, 8, memory);
  CHECK(found.codebook.weight == expected.codebook.weight);
  CHECK(found.matches == expected.matches);
  CHECK(limit.wanted() > most);
}

TWIN_TEST_CASE("a call with one thread starts no other", "[threads][large]") {
  ask(kind, 1);  // a driver may start threads of its own, once
  train(kind, 1);
  const ThreadLimit limit(0);
  ask(kind, 1);
  CHECK(limit.wanted() == 0);
  train(kind, 1);
  train(kind, 1, std::size_t{12} << 20);
  CHECK(limit.wanted() == 0);
}

TEST_CASE("what fails in any thread is thrown to the caller", "[threads]") {
  const auto most = GENERATE(as<std::size_t>{}, 0, 1, 7);
  CAPTURE(most);
  const ThreadLimit limit(most);
  std::atomic<int> calls = 0;
  CHECK_THROWS_AS(for_each_item(100, 8,
                                [&](std::size_t item) {
                                  ++calls;
                                  if (item == 5) throw std::runtime_error("item 5");
                                }),
                  std::runtime_error);
  CHECK(calls >= 6);
}

TEST_CASE("chunks cover every item once, and end with the last one", "[threads]") {
  const std::uint32_t items = GENERATE(0, 1, 31, 32, 33, 64, 1000);
  CAPTURE(items);
  std::vector<std::atomic<int>> calls(items);
  std::atomic<std::size_t> chunks = 0, misshapen = 0;
  for_each_chunk(items, 32, 4, [&](std::uint32_t begin, std::uint32_t end) {
    ++chunks;
    if (begin % 32 != 0 || end - begin != std::min(items - begin, 32U)) ++misshapen;
    for (std::uint32_t item = begin; item < end; ++item) ++calls[item];
  });
  CHECK(misshapen == 0);
  CHECK(chunks == number_of_chunks(items, 32));
  for (const std::atomic<int>& count : calls) CHECK(count == 1);
}

TEST_CASE("as many items as a number can tell are cut without overflow", "[threads]") {
  const std::uint32_t chunk = GENERATE(1U << 31, UINT32_MAX - 1, UINT32_MAX);
  CAPTURE(chunk);
  std::atomic<std::uint64_t> items = 0;
  for_each_chunk(UINT32_MAX, chunk, 1,
                 [&](std::uint32_t begin, std::uint32_t end) { items += end - begin; });
  CHECK(items == UINT32_MAX);
}

TEST_CASE("work beside the caller is done in any case, and what it throws is kept", "[threads]") {
  const auto most = GENERATE(as<std::size_t>{}, 0, 1);
  const auto threads = GENERATE(as<std::size_t>{}, 1, 2);
  CAPTURE(most, threads);
  const ThreadLimit limit(most);
  auto text = std::make_unique<std::string>("its own");  // can only be moved, and must not get lost
  auto done = run_beside(threads, [text = std::move(text)]() mutable { return std::move(*text); });
  CHECK(done.get() == "its own");
  auto failed = run_beside(threads, [] { throw std::runtime_error("failed"); });
  CHECK_THROWS_AS(failed.get(), std::runtime_error);
  CHECK(limit.wanted() == (threads == 1 ? 0 : 2));
}

}  // namespace kindred
