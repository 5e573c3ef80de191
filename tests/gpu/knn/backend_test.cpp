// The contract of gpu/knn/backend.h against brute force in long double
// (tests/fixtures/knn_oracle.h).
#include "gpu/knn/backend.h"

#include "gpu/document_set.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/sparse_vectors.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::code_of;

/// Asks for the neighbors of some rows of the mirror itself and compares with the oracle.
void check_against_oracle(const char* kind, const Csr& csr, const TermWeighting& weighting,
                          std::size_t k, std::size_t queries_wanted = 8,
                          const RowSet* allowed = nullptr) {
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  Queries queries;
  std::vector<std::uint32_t> rows;
  const std::uint32_t step =
      std::max<std::uint32_t>(1, csr.rows() / static_cast<std::uint32_t>(queries_wanted));
  for (std::uint32_t row = 0; row < csr.rows(); row += step) {
    rows.push_back(row);
    test::add_row_query(queries, csr.view(), row, weighting);
  }
  const std::vector<Neighbor> found =
      backend->nearest(queries, k, test::DocumentsOf(*backend, allowed));
  REQUIRE(found.size() == rows.size() * k);
  for (std::size_t q = 0; q < rows.size(); ++q) {
    CAPTURE(rows[q]);
    std::vector<double> expected = test::exact_similarities(
        csr.view(), weighting, test::raw_row(csr.view(), rows[q], weighting));
    for (std::size_t row = 0; allowed != nullptr && row < expected.size(); ++row)
      if (!allowed->has(row)) expected[row] = 0;
    CHECK(test::ranking_fault(std::span(found).subspan(q * k, k), expected) == "");
  }
}

KNN_TEST_CASE("nearest ranks like the exact reference", "[backend]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 0, 1, 31, 32, 33, 127, 128, 129, 300);
  const auto k = GENERATE(as<std::size_t>{}, 1, 10, 300, 1000);
  const auto columns = GENERATE(as<std::uint32_t>{}, 1, 40, 5000);
  CAPTURE(rows, k, columns);
  const Csr csr = test::random_csr({.rows = rows, .columns = columns}, rows + k + columns);
  for (const auto weigh : {test::ltc_weighting, test::ntc_weighting, test::ltn_weighting})
    check_against_oracle(kind, csr, weigh(csr.view()), k);
}

KNN_TEST_CASE("without the cosine, rows rank by their dot products with the query", "[backend]") {
  // Four documents of learned weights, in hundredths, and what they add up to for {0: 3, 2: 4}.
  Csr csr;
  csr.columns = 4;
  csr.column = {0, 1, 0, 2, 1, 3, 0, 1, 2, 3};
  csr.count = {50, 1, 120, 40, 300, 9, 10, 700, 90, 200};
  csr.row_begin = {0, 2, 4, 6, 10};  // 150, 520, 0, 390
  const TermWeighting weighting = test::nnn_weighting(csr.view());
  const double longest = std::sqrt(10. * 10 + 700. * 700 + 90. * 90 + 200. * 200);
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  CHECK(backend->longest() == Approx(longest).epsilon(1e-15));
  Queries queries;
  queries.add_counts(std::vector<std::uint32_t>{0, 2}, std::vector<std::uint32_t>{3, 4}, weighting);
  const auto found = backend->nearest(queries, 4);
  const auto similarity = [&](double product) { return Approx(product / 5 / longest); };
  CHECK(found[0].number == 2);
  CHECK(found[0].similarity == similarity(520));
  CHECK(found[1].number == 4);  // not the nearest by the cosine, which is the first
  CHECK(found[1].similarity == similarity(390));
  CHECK(found[2].number == 1);
  CHECK(found[2].similarity == similarity(150));
  CHECK(found[3] == Neighbor{});
}

KNN_TEST_CASE("nearest ranks like the exact reference around the edges of a tile",
              "[backend][large]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 23295, 23296, 23297, 32767, 32768, 32769, 46592,
                             46593, 65535, 65536, 65537, 150000);
  CAPTURE(rows);
  const Csr csr = test::random_csr({.rows = rows, .columns = 3000, .mean_length = 4}, rows);
  check_against_oracle(kind, csr, test::ltc_weighting(csr.view()), 20, 4);
  check_against_oracle(kind, csr, test::nnn_weighting(csr.view()), 20, 4);
}

KNN_TEST_CASE("rows of every length and counts of every size are found", "[backend]") {
  Csr csr;
  csr.columns = 10000;
  for (const std::uint32_t length : {0, 1, 2, 7, 8, 9, 31, 32, 33, 500, 9999, 10000})
    for (const int count : {1, 2, 255, 256, 65535}) {
      for (std::uint32_t t = 0; t < length; ++t) {
        csr.column.push_back(t);
        csr.count.push_back(static_cast<std::uint16_t>(t % 3 == 0 ? count : 1));
      }
      csr.row_begin.push_back(csr.column.size());
    }
  for (const auto weigh :
       {test::ltc_weighting, test::ntc_weighting, test::ltn_weighting, test::nnn_weighting})
    check_against_oracle(kind, csr, weigh(csr.view()), 25, 60);
}

KNN_TEST_CASE("weights as learned sparse models give them rank exactly", "[backend]") {
  const auto most = GENERATE(as<std::uint32_t>{}, 1, 16, 350, 65535);  // of the counts
  const auto rows = GENERATE(as<std::uint32_t>{}, 13, 700, 3000);
  CAPTURE(most, rows);
  const Csr csr = test::sparse_vectors({.rows = rows,
                                        .columns = 400,
                                        .share = .15,
                                        .frequent = 5,
                                        .least = most == 350 ? 50u : 1u,
                                        .most = most},
                                       rows + most);
  for (const auto weigh : {test::ltc_weighting, test::nnc_weighting, test::nnn_weighting})
    check_against_oracle(kind, csr, weigh(csr.view()), 25);
}

KNN_TEST_CASE("terms in every document and in all but one keep the ranking exact", "[backend]") {
  Csr csr = test::random_csr({.rows = 400, .columns = 50, .empty_share = 0}, 3);
  Csr more;  // term 0 is in every document, term 1 in all but one, the others follow
  more.columns = csr.columns + 2;
  for (std::uint32_t row = 0; row < csr.rows(); ++row) {
    more.column.push_back(0);
    more.count.push_back(static_cast<std::uint16_t>(1 + row % 5));
    if (row != 200) more.column.push_back(1), more.count.push_back(1);
    for (std::uint64_t i = csr.row_begin[row]; i < csr.row_begin[row + 1]; ++i)
      if (row % 3 != 0)
        more.column.push_back(csr.column[i] + 2), more.count.push_back(csr.count[i]);
    more.row_begin.push_back(more.column.size());
  }
  const auto k = GENERATE(as<std::size_t>{}, 1, 10, 400);
  CAPTURE(k);
  check_against_oracle(kind, more, test::ltc_weighting(more.view()), k, 40);
  check_against_oracle(kind, more, test::ltn_weighting(more.view()), k, 40);
}

KNN_TEST_CASE("a filter of any density limits the ranking to its rows", "[backend]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 1, 64, 129, 3000);
  const auto share = GENERATE(0.0, 0.001, 0.01, 0.029, 0.031, 0.3, 0.9, 1.0);
  CAPTURE(rows, share);
  const Csr csr = test::random_csr({.rows = rows}, rows);
  const auto past = GENERATE(as<std::uint32_t>{}, 0, 1, 100);  // rows that the mirror does not have
  CAPTURE(past);
  const RowSet allowed = test::random_rows(rows + past, share, 7);
  check_against_oracle(kind, csr, test::ltc_weighting(csr.view()), 10, 8, &allowed);
  check_against_oracle(kind, csr, test::ltn_weighting(csr.view()), 10, 8, &allowed);
}

KNN_TEST_CASE("identical documents come in order of their numbers", "[backend][large]") {
  const std::uint32_t rows = 100000;
  Csr csr;
  csr.columns = 200;
  for (std::uint32_t row = 0; row < rows; ++row) {  // a few others give the terms some weight
    for (std::uint32_t t = row % 1000 == 0 ? 100 : 0; t < (row % 1000 == 0 ? 200u : 100u); t += 3) {
      csr.column.push_back(t);
      csr.count.push_back(static_cast<std::uint16_t>(1 + t % 4));
    }
    csr.row_begin.push_back(csr.column.size());
  }
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  Queries queries;
  queries.add_counts(std::vector<std::uint32_t>{0, 3, 9}, std::vector<std::uint32_t>{1, 2, 1},
                     weighting);
  const auto k = GENERATE(as<std::size_t>{}, 1, 50, 5000);
  const auto found = make_backend(csr.view(), weighting, test::options(kind))->nearest(queries, k);
  std::uint32_t expected = 0;
  for (const Neighbor& neighbor : found) {
    if (expected % 1000 == 0) ++expected;
    REQUIRE(neighbor.number == ++expected);
    REQUIRE(neighbor.similarity == found[0].similarity);
  }
}

KNN_TEST_CASE("weighted queries and queries without known weight are answered", "[backend]") {
  const Csr csr = test::random_csr({}, 11);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  Queries queries;
  queries.add_weights(std::vector<std::uint32_t>{1, 5, 9}, std::vector<double>{2, -1, .5});
  queries.add_weights(std::vector<std::uint32_t>{}, std::vector<double>{});
  const auto found = make_backend(csr.view(), weighting, test::options(kind))->nearest(queries, 7);
  const auto expected = test::exact_similarities(csr.view(), weighting, {{1, 2}, {9, .5L}});
  CHECK(test::ranking_fault(std::span(found).first(7), expected) == "");
  CHECK(std::vector(found.begin() + 7, found.end()) == std::vector<Neighbor>(7));
  CHECK(make_backend(csr.view(), weighting, test::options(kind))->nearest(Queries{}, 7).empty());
}

KNN_TEST_CASE("a mirror, weighting or labels that do not fit are refused", "[backend]") {
  const Csr csr = test::random_csr({.rows = 100, .columns = 20}, 5);
  const TermWeighting good = test::ltc_weighting(csr.view());
  const auto make = [&](const TermWeighting& weighting, LabelView labels = {}) {
    return code_of([&] { make_backend(csr.view(), weighting, test::options(kind), labels); });
  };
  CHECK(make(good) == Errc::kOk);
  const std::function<void(TermWeighting&)> faults[] = {
      [](TermWeighting& w) { w.idf.pop_back(); }, [](TermWeighting& w) { w.idf[3] = -1; },
      [](TermWeighting& w) { w.tf[2] = std::nan(""); }, [](TermWeighting& w) { w.tf.resize(2); }};
  for (const auto& fault : faults) {
    TermWeighting bad = good;
    fault(bad);
    CHECK(make(bad) == Errc::kInvalidArgument);
  }
  std::vector<std::uint64_t> row_begin(101, 2);
  row_begin[0] = 0;
  const std::uint32_t ascending[] = {3, 4}, descending[] = {4, 3}, reserved[] = {3, UINT32_MAX};
  CHECK(make(good, {100, row_begin.data(), ascending}) == Errc::kOk);
  CHECK(make(good, {100, row_begin.data(), descending}) == Errc::kInvalidArgument);
  CHECK(make(good, {100, row_begin.data(), reserved}) == Errc::kInvalidArgument);
  CHECK(make(good, {99, row_begin.data(), ascending}) == Errc::kInvalidArgument);
  row_begin[0] = 1;
  CHECK(make(good, {100, row_begin.data(), ascending}) == Errc::kInvalidArgument);
}

TEST_CASE("a kind that does not exist is refused", "[backend]") {
  const Csr csr = test::random_csr({}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto make = [&](const char* kind) {
    return code_of([&] { make_backend(csr.view(), weighting, test::options(kind)); });
  };
  CHECK(make("gpu") == Errc::kInvalidArgument);
  CHECK(make("auto") == Errc::kOk);
}

KNN_TEST_CASE("wrong arguments of nearest are refused", "[backend]") {
  const Csr csr = test::random_csr({.rows = 100, .columns = 20}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  Queries queries;
  queries.add_weights(std::vector<std::uint32_t>{19}, std::vector<double>{1});
  CHECK(code_of([&] { backend->nearest(queries, 1); }) == Errc::kOk);
  CHECK(code_of([&] { backend->nearest(queries, 0); }) == Errc::kInvalidArgument);
  CHECK(code_of([&] { backend->nearest(queries, SIZE_MAX); }) == Errc::kOutOfMemory);
  std::vector<Neighbor> room(3);
  CHECK(code_of([&] { backend->nearest(queries.view(), 2, nullptr, room); }) ==
        Errc::kInvalidArgument);
  const DocumentSet other = DocumentSet::all(test::SegmentedMirror(csr.view()).list());
  CHECK(code_of([&] { backend->nearest(queries, 1, &other); }) == Errc::kInvalidArgument);
  queries.add_weights(std::vector<std::uint32_t>{20}, std::vector<double>{1});
  CHECK(code_of([&] { backend->nearest(queries, 1); }) == Errc::kInvalidArgument);
  QueryView broken = queries.view();
  broken.weight = nullptr;
  CHECK(code_of([&] { backend->nearest(broken, 1, nullptr, std::span(room).first(2)); }) ==
        Errc::kInvalidArgument);
}

KNN_TEST_CASE("a mirror without rows refuses the queries that any mirror refuses", "[backend]") {
  Csr none;
  none.columns = 20;
  TermWeighting weighting;
  weighting.idf.assign(20, 1);
  weighting.tf = {0, 1, 1e300};
  const bool has_table = GENERATE(true, false), excludes = GENERATE(false, true);
  const auto rows = GENERATE(as<std::size_t>{}, 1, 2, 100);
  CAPTURE(has_table, excludes, rows);
  if (!has_table) weighting.tf.clear();
  weighting.idf[7] = 1e300;
  const auto backend = make_backend(none.view(), weighting, test::options(kind));
  const std::vector<std::uint32_t> exclude(excludes ? rows : 0, kNoDocument);
  std::vector<std::uint64_t> row_begin(rows + 1, 2);
  row_begin[0] = 0;
  const auto check = [&](std::uint32_t first, std::uint32_t second, bool counts, Errc expected) {
    CAPTURE(first, second, counts);
    const std::uint32_t terms[] = {first, second};
    const double weight[] = {0.6, 0.8};
    const std::uint16_t count[] = {1, 2};
    const QueryView queries = {rows, row_begin.data(), terms, counts ? nullptr : weight,
                               counts ? count : nullptr};
    std::vector<Neighbor> neighbors(rows * 3, Neighbor{1, 1});
    std::vector<LabelShare> shares(rows * 2, LabelShare{1, 1});
    CHECK(code_of([&] { backend->nearest(queries, 3, nullptr, neighbors); }) == expected);
    CHECK(code_of([&] { backend->vote(queries, {3, 2, nullptr, exclude}, shares); }) == expected);
    if (expected != Errc::kOk) return;
    CHECK(neighbors == std::vector<Neighbor>(rows * 3));
    CHECK(shares == std::vector<LabelShare>(rows * 2));
  };
  for (const bool counts : {false, true}) {
    check(3, 19, counts, counts && !has_table ? Errc::kInvalidArgument : Errc::kOk);
    check(3, 20, counts, Errc::kInvalidArgument);
    check(4, 3, counts, Errc::kInvalidArgument);
    check(3, 3, counts, Errc::kInvalidArgument);
  }
  check(3, 7, true, Errc::kInvalidArgument);  // 1e300 x 1e300 is infinite
  std::fill(row_begin.begin(), row_begin.end(), 0);
  check(3, 20, true, Errc::kOk);  // without terms, none can be wrong
}

KNN_TEST_CASE("wrong arguments of vote are refused", "[backend]") {
  const Csr csr = test::random_csr({.rows = 100, .columns = 20}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  Queries queries;
  queries.add_weights(std::vector<std::uint32_t>{1}, std::vector<double>{1});
  std::vector<LabelShare> shares(3);
  const auto vote = [&](const Vote& how) {
    return code_of([&] { backend->vote(queries.view(), how, shares); });
  };
  const std::vector<std::uint32_t> two_rows(2);
  const DocumentSet other = DocumentSet::all(test::SegmentedMirror(csr.view()).list());
  CHECK(vote({5, 3, nullptr, {}}) == Errc::kOk);
  CHECK(vote({0, 3, nullptr, {}}) == Errc::kInvalidArgument);
  CHECK(vote({5, 0, nullptr, {}}) == Errc::kInvalidArgument);
  CHECK(vote({5, 2, nullptr, {}}) == Errc::kInvalidArgument);
  CHECK(vote({5, 3, nullptr, two_rows}) == Errc::kInvalidArgument);
  CHECK(vote({5, 3, &other, {}}) == Errc::kInvalidArgument);
}

KNN_TEST_CASE("queries of counts get the same bits as the weights that they stand for",
              "[backend][slow]") {
  const Csr csr = test::random_csr({.rows = 700, .columns = 300, .mean_length = 30}, 8);
  TermWeighting weighting = test::ltc_weighting(csr.view());
  weighting.idf[3] = 0;  // a term that weighs nothing holds its place in the query's length
  const auto backend = make_backend(csr.view(), weighting, test::options(kind));
  const std::vector<std::size_t> sizes{1, 5, 700, 9000};
  for (const std::size_t rows : sizes) {
    std::vector<std::uint64_t> row_begin{0};
    std::vector<std::uint32_t> term;
    std::vector<std::uint16_t> count;
    Queries weighed;
    for (std::size_t q = 0; q < rows; ++q) {
      const auto row = static_cast<std::uint32_t>(q * 7919 % csr.rows());
      test::add_row_query(weighed, csr.view(), row, weighting);
      for (std::uint64_t i = csr.row_begin[row]; i < csr.row_begin[row + 1]; ++i)
        term.push_back(csr.column[i]), count.push_back(csr.count[i]);
      row_begin.push_back(term.size());
    }
    std::vector<Neighbor> found(rows * 12);
    backend->nearest({rows, row_begin.data(), term.data(), nullptr, count.data()}, 12, nullptr,
                     found);
    CHECK((found == backend->nearest(weighed, 12)));
  }
}

TEST_CASE("what is wrong with a device is not said when it is started", "[backend]") {
  const char* const kind = GENERATE("cpu", "auto", "cuda", "quantum");
  CAPTURE(kind);
  BackendOptions options = test::options(kind);
  options.devices = {0, 99};
  const auto start = [&] {
    std::future<void> started = start_devices(options);
    if (started.valid()) started.get();
  };
  CHECK_NOTHROW(start());
}

TEST_CASE("a backend says what it is", "[backend]") {
  const Csr csr = test::random_csr({}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const BackendInfo info = make_backend(csr.view(), weighting, test::options("cpu", 3))->info();
  CHECK(info.kind == "cpu");
  CHECK(info.device.find("3 threads") != std::string::npos);
  CHECK(info.compute_capability.empty());
  CHECK(info.bytes > csr.rows() * sizeof(double));
}

CUDA_TEST_CASE("a backend says which device it is on", "[backend]") {
  const Csr csr = test::random_csr({}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const BackendInfo info = make_backend(csr.view(), weighting, test::options(kind))->info();
  CHECK(info.kind == "cuda");
  CHECK(info.device.find(" (code for ") != std::string::npos);
  CHECK(info.compute_capability.find('.') != std::string::npos);
  CHECK(info.bytes > csr.rows() * sizeof(double));
  CHECK(make_backend(csr.view(), weighting, test::options("auto"))->info().kind == "cuda");
}

}  // namespace
}  // namespace kindred
