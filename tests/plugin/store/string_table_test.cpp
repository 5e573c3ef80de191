#include "plugin/store/string_table.h"

#include "tests/fixtures/catch.h"

using kindred::StringTable;
using namespace std::string_literals;

TEST_CASE("an empty table finds nothing") {
  StringTable table;
  CHECK(table.size() == 0);
  CHECK_FALSE(table.find("x"));
  table.index();
  CHECK_FALSE(table.find("x"));
  CHECK_FALSE(table.find(""));
}

TEST_CASE("strings keep their numbers and their bytes") {
  StringTable table;
  const std::vector<std::string> words = {"", "a", "a\0b"s, "caf\xC3\xA9",
                                          std::string(100000, 'z')};
  for (const auto& word : words) table.push_back(word);
  table.index();
  REQUIRE(table.size() == words.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    CHECK(table[i] == words[i]);
    CHECK(table.find(words[i]) == i);
  }
  CHECK_FALSE(table.find("b"));
  CHECK_FALSE(table.find("a\0"s));
}

TEST_CASE("look-up works at every size around a power of two") {
  StringTable table;
  for (std::uint32_t n = 1; n <= 130; ++n) {
    table.push_back("word" + std::to_string(n - 1));
    StringTable copy = table;
    copy.index();
    for (std::uint32_t i = 0; i < n; ++i) REQUIRE(copy.find("word" + std::to_string(i)) == i);
    REQUIRE_FALSE(copy.find("word" + std::to_string(n)));
  }
}

TEST_CASE("the memory of a table grows with it") {
  StringTable table;
  table.push_back(std::string(1000, 'x'));
  CHECK(table.bytes() >= 1000);
}

TEST_CASE("a table that is indexed goes on growing, and its copies do not change with it") {
  StringTable table;
  for (const char* word : {"a", "b", "", "", "b"}) table.push_back(word);
  table.index();
  CHECK_FALSE(table.is_distinct());
  const StringTable before = table;
  for (const char* word : {"c", "b", "c"}) table.push_back(word);
  CHECK_FALSE(table.find("c"));
  table.index();
  CHECK(table.size() == 8);
  CHECK(table[4] == "b");
  CHECK(table[5] == "c");
  CHECK(table.find("a") == 0);
  CHECK(table.find("b") == 1);  // of equal ones, the first
  CHECK(table.find("c") == 5);
  CHECK(table.joined().find("c") == 5);
  CHECK(before.size() == 5);
  CHECK_FALSE(before.find("c"));
}

TEST_CASE("a table knows whether its strings are distinct, those without a character apart") {
  StringTable table;
  for (const char* word : {"", "a", "", "b", ""}) table.push_back(word);
  table.index();
  CHECK(table.is_distinct());
  CHECK(StringTable::from_parts(table.parts()).is_distinct());
  CHECK(StringTable::from_parts(table.parts()).find("b") == 3);
}
