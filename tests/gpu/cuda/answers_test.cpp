// Every answer is written by the kernel that it is for, and counted: batches that go through every
// kernel that searches, and, in builds with checks, kernels that leave a query out on purpose.
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

constexpr std::uint32_t kColumns = 4000;
constexpr std::uint32_t kRandomRows = 1500, kAlike = 500;

/// Some rows that are random and, of each of two texts, as many as make a query for it hard: more
/// documents may be among the best than a block lists.
Csr some_and_many_alike(std::uint64_t seed) {
  Csr csr = test::random_csr({.rows = kRandomRows, .columns = kColumns}, seed);
  for (std::uint32_t text = 0; text < 2; ++text) {
    for (std::uint32_t copy = 0; copy < kAlike; ++copy) {
      for (std::uint32_t t = 0; t < 20; ++t) {
        csr.column.push_back(3000 + text * 100 + t);
        csr.count.push_back(static_cast<std::uint16_t>(1 + t % 3));
      }
      csr.row_begin.push_back(csr.column.size());
    }
  }
  return csr;
}

/// Which rows of the mirror a batch is made of, and whether queries of very many terms come first.
struct Shape {
  const char* name;
  std::uint32_t random, hard;
  bool has_long;
};

/// In parts, row by row, in place; by blocks; by clusters; hard ones by clusters, or by blocks.
constexpr std::array kShapes = {
    Shape{"a single query", 1, 0, false},
    Shape{"a single long query", 0, 0, true},
    Shape{"a few", 5, 0, false},
    Shape{"one for each block", 700, 0, false},
    Shape{"a few hard ones", 690, 10, false},
    Shape{"long ones and hard ones", 690, 5, true},
    Shape{"many hard ones", 500, 200, true},
};

struct Everything {
  explicit Everything(bool in_two_segments) {
    mirror.add(first.view(), labels.view());
    if (in_two_segments) mirror.add(second.view(), labels.view());
    list = mirror.list();
  }
  std::unique_ptr<const Backend> on(const char* kind) const {
    return make_backend(list, weighting, test::options(kind));
  }
  Csr batch(const Shape& shape) const {
    Csr csr;
    csr.columns = kColumns;
    const auto append = [&](std::uint32_t row) {
      const RowEntries own = entries_of(first.view(), row);
      csr.column.insert(csr.column.end(), own.columns.begin(), own.columns.end());
      csr.count.insert(csr.count.end(), own.counts.begin(), own.counts.end());
      csr.row_begin.push_back(csr.column.size());
    };
    for (std::uint32_t i = 0; i < shape.random; ++i) append(1 + i % kRandomRows);
    for (std::uint32_t i = 0; i < shape.hard; ++i) append(kRandomRows + i % 2 * kAlike);
    const bool is_single = shape.random + shape.hard == 0;
    for (std::uint32_t i = 0; shape.has_long && i < (is_single ? 1u : 2u); ++i) {
      for (std::uint32_t t = i; t < kColumns; t += 2)
        csr.column.push_back(t), csr.count.push_back(1);
      csr.row_begin.push_back(csr.column.size());
    }
    return csr;
  }

  Csr first = some_and_many_alike(1), second = some_and_many_alike(2);
  TermWeighting weighting = test::ltc_weighting(first.view());
  test::Labels labels = test::random_labels(first.rows(), 40, 3);
  test::SegmentedMirror mirror;
  SegmentListPointer list;
};

/// What a backend is asked for a batch: neighbors or votes, of all documents, of many or of few.
struct Asked {
  bool votes;
  double share;  ///< of the documents that may answer
};
constexpr std::array kAsked = {Asked{false, 1}, Asked{true, 1}, Asked{false, .6}, Asked{true, .01}};

struct Answers {
  std::vector<Neighbor> neighbors;
  std::vector<LabelShare> shares;
  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers ask(const Backend& backend, const Csr& batch, const Asked& asked) {
  constexpr std::size_t kNearest = 10, kShares = 3;
  const QueryView queries{batch.rows(), batch.row_begin.data(), batch.column.data(), nullptr,
                          batch.count.data()};
  const RowSet some = test::random_rows(backend.mirror()->places(), asked.share, 7);
  const test::DocumentsOf allowed(backend, asked.share < 1 ? &some : nullptr);
  Answers answers;
  if (asked.votes) {
    answers.shares.resize(batch.rows() * kShares);
    backend.vote(queries, {kNearest, kShares, allowed, {}}, answers.shares);
  } else {
    answers.neighbors.resize(batch.rows() * kNearest);
    backend.nearest(queries, kNearest, allowed, answers.neighbors);
  }
  return answers;
}

CUDA_TEST_CASE("a batch that goes through every kernel has the bits of the CPU", "[answers]") {
  const Everything all(GENERATE(false, true));
  const auto cuda = all.on(kind), cpu = all.on("cpu");
  for (const Shape& shape : kShapes) {
    const Csr batch = all.batch(shape);
    for (const Asked& asked : kAsked) {
      CAPTURE(shape.name, asked.votes, asked.share);
      const Answers expected = ask(*cpu, batch, asked);
      CHECK(ask(*cuda, batch, asked) == expected);
      CHECK(ask(*cuda, batch, asked) == expected);  // hard ones are expected now
    }
  }
}

#ifdef KINDRED_CHECKS
/// While it lives, kernels leave out a query.
class Skipped {
 public:
  explicit Skipped(std::size_t query) {
    setenv("KINDRED_SKIPPED_QUERY", std::to_string(query).c_str(), 1);
  }
  ~Skipped() { unsetenv("KINDRED_SKIPPED_QUERY"); }
  Skipped(const Skipped&) = delete;
  Skipped& operator=(const Skipped&) = delete;
};

CUDA_TEST_CASE("a query that its kernel leaves out is an error, or the CPU answers", "[answers]") {
  const int segments = GENERATE(from_range(test::raced(std::vector{2, 1})));
  const Everything all(segments == 2);
  const auto cuda = all.on(kind), cpu = all.on("cpu");
  for (const Shape& shape : kShapes) {
    const Csr batch = all.batch(shape);
    for (const Asked& asked : test::raced(std::vector(kAsked.begin(), kAsked.end()), 2)) {
      CAPTURE(shape.name, asked.votes, asked.share);
      const Answers expected = ask(*cpu, batch, asked);
      const auto automatic = all.on("auto");
      // The last ones are the hardest.
      for (const std::uint32_t query : test::raced(std::vector{batch.rows() - 1, 0u})) {
        const Skipped skipped(query);
        CHECK(test::code_of([&] { ask(*cuda, batch, asked); }, "were asked for") == Errc::kDevice);
        CHECK(ask(*automatic, batch, asked) == expected);
      }
      CHECK(automatic->info().kind == "cpu");
      CHECK(ask(*cuda, batch, asked) == expected);
    }
  }
}
#endif

}  // namespace
}  // namespace kindred
