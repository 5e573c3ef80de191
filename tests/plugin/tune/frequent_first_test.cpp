// The contract of FrequentFirst in plugin/tune/linear_fit.h.
#include "plugin/tune/linear_fit.h"

#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

TEST_CASE("columns are renumbered by their entries, and rows keep their order") {
  Csr csr;
  csr.columns = 5;
  csr.row_begin = {0, 3, 3, 5, 7};
  csr.column = {0, 2, 4, 2, 4, 1, 4};
  csr.count = {1, 2, 3, 4, 5, 6, 7};
  const FrequentFirst renumbered(csr.view());
  const CsrView view = renumbered.view();
  CHECK(std::vector(view.column, view.column + view.nonzeros()) ==
        std::vector<std::uint32_t>{2, 1, 0, 1, 0, 3, 0});
  CHECK(view.count == csr.count.data());
  const std::vector<std::uint32_t> former = {4, 2, 0, 1, 3};
  for (std::uint32_t column = 0; column < 5; ++column)
    CHECK(renumbered.former(column) == former[column]);
  const std::vector<double> values = {10, 11, 12, 13, 14};
  CHECK(renumbered.renumbered(values) == std::vector<double>{14, 12, 10, 11, 13});
  CHECK(renumbered.restored(renumbered.renumbered(values)) == values);
}

TEST_CASE("a matrix without entries keeps its columns") {
  Csr csr;
  csr.columns = 3;
  const FrequentFirst renumbered(csr.view());
  CHECK(renumbered.view().nonzeros() == 0);
  CHECK(renumbered.former(2) == 2);
}
