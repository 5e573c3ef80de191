// Which labels are confused, and which most.
#include "plugin/evaluate/confusions.h"

#include <optional>
#include <string>
#include <vector>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Columns a, b, c, none. Of the 10 documents with a, 3 were taken for b, of the 4 with b 3 for c;
/// one with c got no label.
const ConfusionMatrix kConfused = {{"a", "b", "c"}, {{7, 3, 0, 0}, {0, 1, 3, 0}, {0, 0, 5, 1}}};

}  // namespace

TEST_CASE("confusions come by documents, then by their share of the label") {
  const std::vector<Confusion> worst = worst_confusions(kConfused);
  REQUIRE(worst.size() == 3);
  CHECK(worst[0].label == "b");
  CHECK(worst[0].taken_for == "c");
  CHECK(worst[0].documents == 3);
  CHECK(worst[0].share == 0.75);
  CHECK(worst[1].label == "a");
  CHECK(worst[1].share == 0.3);
  CHECK(worst[2].label == "c");
  CHECK_FALSE(worst[2].taken_for.has_value());
  CHECK(worst_confusions({{"a"}, {{4, 0}}}).empty());
}

TEST_CASE("the most confused labels are those with the most wrong documents, either way") {
  CHECK(most_confused(kConfused, 1) == std::vector<std::size_t>{1});  // 3 from a, 3 to c
  CHECK(most_confused(kConfused, 2) == std::vector<std::size_t>{1, 2});
  CHECK(most_confused(kConfused, 9) == std::vector<std::size_t>{0, 1, 2});
  CHECK(most_confused({}, 5).empty());
}
