#include "http/body_reader.h"

#include <vector>

#include "body_of_text.h"
#include "http/problem.h"
#include "tests/fixtures/catch.h"

using search_server::LineReader;
using search_server::Problem;

namespace {

std::vector<std::string> lines_of(const std::string& text, std::size_t piece, std::size_t limit) {
  BodyOfText body(text, piece);
  LineReader reader(body, limit);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  CHECK(reader.number() == lines.size());
  return lines;
}

}  // namespace

TEST_CASE("lines are the same however the body arrives") {
  const std::string text = "one\ntwo\r\n\n\r\nfi\rve\nlast";
  const std::vector<std::string> lines = {"one", "two", "", "", "fi\rve", "last"};
  for (std::size_t piece = 1; piece <= text.size() + 1; ++piece) {
    CAPTURE(piece);
    CHECK(lines_of(text, piece, 6) == lines);
    CHECK(lines_of(text + "\n", piece, 6) == lines);
  }
  CHECK(lines_of("", 1, 6).empty());
  CHECK(lines_of("\n", 1, 6) == std::vector<std::string>{""});
}

TEST_CASE("a line may be as long as the limit, and the first longer one is named") {
  for (const std::size_t piece : {1, 3, 100}) {
    CAPTURE(piece);
    CHECK(lines_of("12345\r\n12345", piece, 5) == std::vector<std::string>{"12345", "12345"});
    for (const char* text : {"1\n123456\n2", "1\n123456", "1\n123456789012345678901234567890"}) {
      BodyOfText body(text, piece);
      LineReader reader(body, 5);
      std::string line;
      CHECK(reader.next(line));
      try {
        reader.next(line);
        FAIL("the line was taken");
      } catch (const Problem& problem) {
        CHECK(problem.status() == 413);
        CHECK(problem.detail() == "Line 2 of the body has more than 5 bytes.");
      }
    }
  }
}

TEST_CASE("a whole body has a limit") {
  BodyOfText fits("12345", 2);
  CHECK(fits.read_all(5) == "12345");
  BodyOfText too_large("123456", 2);
  CHECK_THROWS_AS(too_large.read_all(5), Problem);
}
