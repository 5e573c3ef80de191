// Class geometry against brute force over all pairs of documents.
#include "plugin/classify/geometry_measurement.h"

#include "plugin/snapshot/snapshot.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/made_mirror.h"

namespace kindred {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A mirror of random documents, made without a database. Each has up to five of `kinds` labels.
Mirror random_mirror(std::uint32_t rows, std::uint32_t kinds) {
  const test::Labels labels = test::random_labels(rows, kinds, 5);
  std::vector<std::string> names;
  for (std::uint32_t label = 0; label < kinds; ++label)
    names.push_back("label" + std::to_string(label));
  return test::made_mirror(test::random_csr({.rows = rows, .columns = 60}, rows), labels.row_begin,
                           labels.label, names);
}

/// The cosines of all pairs of rows, and which rows have a length above 0.
struct Cosines {
  explicit Cosines(const Snapshot& snapshot) {
    const SegmentList& mirror = *snapshot.mirror().list;
    const Csr matrix = matrix_of(mirror, mirror.numbers());
    const CsrView counts = matrix.view();
    for (std::uint32_t row = 0; row < counts.rows; ++row) {
      const auto query = test::raw_row(counts, row, snapshot.weighting());
      cosine.push_back(test::exact_similarities(counts, snapshot.weighting(), query));
    }
  }
  bool has_length(std::uint32_t row) const { return cosine[row][row] > 0; }
  std::vector<std::vector<double>> cosine;
};

bool has_label(const Mirror& mirror, std::uint32_t row, std::uint32_t label) {
  return std::ranges::count(mirror.labels_of(row + 1), label) > 0;
}

double brute_mean(const Mirror& mirror, const Cosines& cosines, std::uint32_t a, std::uint32_t b) {
  double sum = 0, pairs = 0;
  const std::uint32_t rows = mirror.documents();
  for (std::uint32_t x = 0; x < rows; ++x) {
    for (std::uint32_t y = 0; y < rows; ++y) {
      if (x == y || !cosines.has_length(x) || !cosines.has_length(y)) continue;
      if (!has_label(mirror, x, a) || !has_label(mirror, y, b)) continue;
      sum += 2 - 2 * cosines.cosine[x][y];
      pairs += 1;
    }
  }
  return pairs > 0 ? sum / pairs : kNone;
}

TEST_CASE("mean distances of labels are those of all pairs of their documents") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 1, 2, 40, 300);
  const Snapshot snapshot(random_mirror(rows, 6), {});
  const api::GeometryAnswer geometry = measure_class_geometry(snapshot);
  const Cosines cosines(snapshot);
  double inter = 0, intra = 0, inters = 0, intras = 0;
  const std::vector<std::uint32_t>& order = snapshot.mirror().labels.order;
  REQUIRE(geometry.mean_square_distance.size() == order.size());
  for (std::uint32_t a = 0; a < order.size(); ++a) {
    for (std::uint32_t b = 0; b < order.size(); ++b) {
      const double expected = brute_mean(snapshot.mirror(), cosines, order[a], order[b]);
      const double found = geometry.mean_square_distance[a][b];
      CAPTURE(rows, a, b, expected, found);
      REQUIRE(std::isnan(found) == std::isnan(expected));
      if (std::isnan(expected)) continue;
      CHECK(found == Approx(expected).epsilon(1e-9).margin(1e-9));
      (a == b ? intra : inter) += expected;
      (a == b ? intras : inters) += 1;
    }
  }
  if (rows < 40) return;
  CHECK(geometry.intra == Approx(intra / intras));
  CHECK(geometry.inter == Approx(inter / inters));
  CHECK(geometry.informativeness == Approx((inter / inters) / (intra / intras)));
}

TEST_CASE("every labeled document counts where its nearest labeled neighbor is") {
  const Snapshot snapshot(random_mirror(300, 4), {});
  const Mirror& mirror = snapshot.mirror();
  const api::GeometryAnswer geometry = measure_class_geometry(snapshot);
  const Cosines cosines(snapshot);
  std::vector<std::vector<std::uint64_t>> expected(4, std::vector<std::uint64_t>(5));
  for (std::uint32_t x = 0; x < 300; ++x) {
    if (!cosines.has_length(x)) continue;
    std::uint32_t best = 300;
    for (std::uint32_t y = 0; y < 300; ++y) {
      const bool labeled = mirror.labeled.has(y + 1);
      const auto cosine = static_cast<float>(cosines.cosine[x][y]);
      if (y == x || !labeled || !(cosine > 0)) continue;
      if (best == 300 || cosine > static_cast<float>(cosines.cosine[x][best])) best = y;
    }
    for (std::uint32_t a = 0; a < 4; ++a) {
      if (!has_label(mirror, x, a)) continue;
      if (best == 300) ++expected[a][4];
      const bool agrees = best < 300 && has_label(mirror, best, a);
      for (std::uint32_t b = 0; best < 300 && b < 4; ++b) {
        if (agrees ? a == b : has_label(mirror, best, b)) ++expected[a][b];
      }
    }
  }
  CHECK(geometry.nearest == expected);
}

TEST_CASE("documents that are far apart by label have a large informativeness") {
  Csr counts;  // two labels without a term in common
  counts.columns = 6;
  for (std::uint32_t row = 0; row < 6; ++row) {
    const std::uint32_t first = row < 3 ? 0 : 3;
    for (std::uint32_t t = first; t < first + 3; ++t) {
      if (t == first + row % 3) continue;
      counts.column.push_back(t), counts.count.push_back(1);
    }
    counts.row_begin.push_back(counts.column.size());
  }
  Mirror mirror = test::made_mirror(std::move(counts), {0, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 1, 1, 1},
                                    {"first", "second"});
  const api::GeometryAnswer geometry = measure_class_geometry(Snapshot(std::move(mirror), {}));
  CHECK(geometry.labels == std::vector<std::string>{"first", "second"});
  CHECK(geometry.documents == std::vector<std::uint64_t>{3, 3});
  CHECK(geometry.inter == Approx(2));
  CHECK(geometry.intra == Approx(1));  // every two documents share one of their two terms
  CHECK(geometry.informativeness == Approx(2));
  CHECK(geometry.nearest == std::vector<std::vector<std::uint64_t>>{{3, 0, 0}, {0, 3, 0}});
}

}  // namespace
}  // namespace kindred
