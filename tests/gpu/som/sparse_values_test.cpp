#include "gpu/som/exchange.h"

#include "tests/fixtures/error_code.h"

using namespace kindred;

namespace {

/// Mostly zeros.
std::vector<std::int64_t> some_values(std::size_t count, std::size_t seed) {
  constexpr std::int64_t kOdd[] = {1, -1, 63, 64, -64, -65, INT64_MAX / 4, INT64_MIN / 4};
  std::vector<std::int64_t> values(count);
  for (std::size_t i = seed; i < count; i += 100) values[i] = kOdd[(i / 100) % 8];
  return values;
}

}  // namespace

TEST_CASE("sums of many zeros and of any integers are those of the integers") {
  for (const std::size_t count : {0, 1, 2, 1000}) {
    const std::vector<std::int64_t> first = some_values(count, 0), second = some_values(count, 1);
    std::vector<std::int64_t> sums = first, expected = first;
    for (std::size_t i = 0; i < count; ++i) expected[i] += second[i];
    add_values(packed_values(second), sums);
    CHECK(sums == expected);
  }
  CHECK(packed_values(some_values(1000, 1)).size() < 100);
}

TEST_CASE("packed values of another number, or that are cut off, are refused") {
  const std::string bytes = packed_values(some_values(1000, 0));
  std::vector<std::int64_t> fewer(999);
  CHECK(test::code_of([&] { add_values(bytes, fewer); }, "different numbers of values") ==
        Errc::kInternal);
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    std::vector<std::int64_t> values(1000);
    CHECK(test::code_of([&] { add_values(std::string_view(bytes).substr(0, kept), values); }) ==
          Errc::kCorrupt);
  }
}
