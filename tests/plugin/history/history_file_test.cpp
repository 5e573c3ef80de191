// Blocks of the history of tags, and times as people write them.
#include "plugin/history/history_file.h"

#include <string>
#include <vector>

#include "plugin/history/history_time.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;

namespace {

const std::vector<DocumentChange> kChanges = {
    {"d1", 7, {{"space", 0, kGivenState, 0}, {"sport", kPredictedState, kRejectedState, 0.75}}},
    {std::string("\xff\0x", 3), 0, {{"", 0, kRejectedState, 0}}}};

HistoryBlock block_from(std::uint64_t first) {
  return {first, kChanges.size(), 3, 1'764'459'000'123, "anna", "edit", "uuid"};
}

std::string framed(std::uint64_t first) {
  std::string changes;
  for (const DocumentChange& change : kChanges) put_change(changes, change);
  return framed_block(block_from(first), changes);
}

}  // namespace

TEST_CASE("a block of the history gives back what was put into it") {
  const std::string bytes = framed(3) + framed(5);
  const BlockList list = blocks_in(bytes);
  REQUIRE(list.blocks.size() == 2);
  CHECK(list.end == bytes.size());
  CHECK(list.damaged == 0);
  CHECK(read_block(list.blocks[1].content) == block_from(5));

  std::vector<DocumentChange> read;
  std::vector<std::uint64_t> numbers;
  for_each_change(list.blocks[1].content, [&](std::uint64_t number, const DocumentChange& change) {
    numbers.push_back(number);
    read.push_back(change);
  });
  CHECK(numbers == std::vector<std::uint64_t>{5, 6});
  CHECK(read == kChanges);
}

TEST_CASE("a damaged byte of the history costs its block, and no other") {
  const std::string whole = framed(1) + framed(3) + framed(5);
  const std::size_t size = whole.size() / 3;
  for (std::size_t i = size; i < 2 * size; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const BlockList list = blocks_in(damaged);
    REQUIRE(list.blocks.size() == 2);
    CHECK(list.damaged == size);
    CHECK(read_block(list.blocks[1].content).first == 5);
  }
}

TEST_CASE("a history that breaks off ends with its last whole block") {
  const std::string whole = framed(1) + framed(3);
  for (std::size_t size = whole.size() / 2; size < whole.size(); ++size) {
    const BlockList list = blocks_in(std::string_view(whole).substr(0, size));
    REQUIRE(list.blocks.size() == 1);
    CHECK(list.end == whole.size() / 2);
    CHECK(list.damaged == 0);
  }
}

TEST_CASE("a block whose content is not what it says is refused") {
  const std::string bytes = framed_block(block_from(1), "none");
  const std::string_view content = blocks_in(bytes).blocks.at(0).content;
  const auto read = [&] { for_each_change(content, [](std::uint64_t, const DocumentChange&) {}); };
  CHECK(test::code_of(read, "a block of the history") == Errc::kCorrupt);
}

TEST_CASE("a time is a day, a time of UTC, or an age") {
  constexpr std::uint64_t kNow = 1'764'459'000'000;  // 2025-11-29T23:30:00Z
  CHECK(time_text(kNow) == "2025-11-29T23:30:00Z");
  CHECK(time_text(0) == "1970-01-01T00:00:00Z");
  CHECK(time_text(~std::uint64_t{0}) == "9999-12-31T23:59:59Z");

  CHECK(parsed_time("2025-11-29T23:30:00Z", 0) == kNow);
  CHECK(parsed_time("2025-11-29T23:30", 0) == kNow);
  CHECK(parsed_time("2025-11-29", 0) == kNow - 84'600'000);
  CHECK(parsed_time("2024-02-29", 0).has_value());
  CHECK(parsed_time("2h", kNow) == kNow - 7'200'000);
  CHECK(parsed_time("90m", kNow) == kNow - 5'400'000);
  CHECK(parsed_time("9999999d", kNow) == 0);

  for (const char* const wrong :
       {"", "2025", "2025-02-29", "2025-11-29T", "2025-11-29T24:00", "2025-11-29T23:30:00+01:00",
        "29.11.2025", "7", "d", "-7d", "7w", "2025-11-29 23:30", "12345678d"})
    CHECK_FALSE(parsed_time(wrong, kNow));
}
