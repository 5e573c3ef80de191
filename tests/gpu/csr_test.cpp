// The contract of gpu/csr.h.
#include "gpu/csr.h"

#include <tuple>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/random_csr.h"

namespace kindred {
namespace {

/// Rows {0: 1, 2: 3}, {}, {1: 65535}.
Csr small_csr() { return {3, {0, 2, 2, 3}, {0, 2, 1}, {1, 3, 65535}}; }

std::string complaint(const Csr& csr) {
  return test::message_of([&] { check_csr(csr.view()); });
}

TEST_CASE("check_csr accepts valid matrices", "[csr]") {
  CHECK(complaint(small_csr()) == "");
  CHECK(complaint(Csr{}) == "");
  CHECK(complaint(Csr{5, {0, 0, 0}, {}, {}}) == "");
  CHECK(complaint(test::random_csr({}, 1)) == "");
  CHECK_NOTHROW(check_csr(CsrView{}));
}

TEST_CASE("check_csr names the first of many faulty rows, whatever thread finds it", "[csr]") {
  Csr csr = test::random_csr({.rows = 50000}, 2);
  const auto threads = GENERATE(as<std::size_t>{}, 1, 4);
  CHECK_NOTHROW(check_csr(csr.view(), threads));
  for (const std::uint32_t row : {49000u, 30000u, 20001u, 20000u}) {
    std::uint32_t first = row;
    while (csr.row_begin[first] == csr.row_begin[first + 1]) ++first;
    csr.count[csr.row_begin[first]] = 0;
    const std::string message = test::message_of([&] { check_csr(csr.view(), threads); });
    CHECK(test::says(message, {("row " + std::to_string(first) + " of the matrix").c_str()}));
  }
  csr.row_begin[19999] = csr.row_begin[19998] - 1;
  CHECK_THROWS_AS(check_csr(csr.view(), threads), Error);
}

TEST_CASE("check_csr names the row and the fault", "[csr]") {
  const std::pair<void (*)(Csr&), const char*> faults[] = {
      {[](Csr& csr) { csr.column[2] = 3; }, "row 2 of the matrix: column 3 is not below 3"},
      {[](Csr& csr) { csr.column[1] = 0; },
       "row 0 of the matrix: column 0 follows column 0, they must ascend"},
      {[](Csr& csr) { csr.count[2] = 0; }, "row 2 of the matrix: the count of column 1 is 0"},
      {[](Csr& csr) {
         csr.row_begin = {0, 2, 1, 3};
       },
       "row 1 of the matrix: it ends before it begins"},
      {[](Csr& csr) { csr.row_begin[0] = 1; }, "row 0 of the matrix: the first offset is not 0"},
      {[](Csr& csr) { csr.row_begin[3] = 1000000; },  // before its entries are read
       "row 2 of the matrix: it has more entries than there are columns"}};
  for (const auto& [damage, message] : faults) {
    Csr csr = small_csr();
    damage(csr);
    CHECK(complaint(csr) == message);
  }
}

TEST_CASE("the transpose lists each term's documents in order", "[csr]") {
  CHECK(transpose(small_csr().view()) == Csr{3, {0, 1, 2, 3}, {0, 2, 0}, {1, 65535, 3}});
}

TEST_CASE("transposing twice gives the matrix back", "[csr]") {
  const auto rows = GENERATE(as<std::uint32_t>{}, 0, 1, 31, 32, 33, 300);
  const auto columns = GENERATE(as<std::uint32_t>{}, 1, 7, 1000);
  CAPTURE(rows, columns);
  const Csr csr = test::random_csr({.rows = rows, .columns = columns}, rows + columns);
  const Csr transposed = transpose(csr.view());
  REQUIRE_NOTHROW(check_csr(transposed.view()));
  CHECK(transposed.rows() == columns);
  const Csr back = transpose(transposed.view());
  CHECK(back == csr);
}

}  // namespace
}  // namespace kindred
