#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "http/problem.h"
#include "tests/fixtures/catch.h"

using search_server::Json;
using search_server::MemberReader;
using search_server::ParameterReader;
using search_server::Problem;
using search_server::Request;

namespace {

/// The detail of the problem that body() throws.
template <typename Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const Problem& problem) {
    CHECK((problem.status() == 400 || problem.status() == 415));
    return problem.detail();
  }
  return "";
}

std::string body_refusal(const std::string& text, const std::string& type = "application/json") {
  Request request;
  request.body = text;
  request.headers["content-type"] = type;
  return refusal([&] { search_server::read_object(request, 100'000); });
}

}  // namespace

TEST_CASE("a parameter that nobody reads is refused with the nearest name") {
  Request request;
  request.query = {{"limt", "3"}};
  ParameterReader parameters(request);
  CHECK(parameters.integer("limit", 10, 0, 100) == 10);
  CHECK(refusal([&] { parameters.done(); }) == "unknown parameter 'limt', did you mean 'limit'?");
}

TEST_CASE("a parameter that is given twice, too often or too long is refused") {
  Request request;
  request.query = {{"q", "a"}, {"q", "b"}, {"label", ""}, {"long", std::string(50, 'x')}};
  ParameterReader parameters(request);
  CHECK(refusal([&] { parameters.text("q", "", 10); }) ==
        "parameter 'q': expected at most 1 value, found 2");
  CHECK(refusal([&] { parameters.texts("label", 10); }) ==
        "parameter 'label': expected a value, found nothing");
  CHECK(refusal([&] { parameters.text("long", "", 49); }) ==
        "parameter 'long': expected at most 49 bytes, found 50");
  request.query = search_server::Parameters(33, {"label", "a"});
  CHECK(refusal([&] { parameters.texts("label", 10); }) ==
        "parameter 'label': expected at most 32 values, found 33");
  request.query = {{"topic", "1"}, {"topic", "2x"}};
  CHECK(refusal([&] { parameters.integers("topic", 1, 9); }) ==
        "parameter 'topic': expected a whole number from 1 to 9, found '2x'");
}

TEST_CASE("a body that is no JSON object is refused with the place") {
  CHECK(body_refusal("{}") == "");
  CHECK(body_refusal("{}", "Application/JSON ; charset=utf-8") == "");
  CHECK(body_refusal("{}", "text/json") ==
        "expected a body of application/json, found 'text/json'");
  CHECK(body_refusal("[]") == "expected a JSON object, found array");
  CHECK(body_refusal("{\"a\": x}") == "not JSON at byte 7");
  CHECK(body_refusal("{\"a\": 1e999}") == "expected numbers that a double can hold");
  CHECK(body_refusal(std::string(50'000, '[')) == "expected JSON of at most 32 levels");
}

TEST_CASE("members of the wrong kind are refused by name") {
  const Json body = Json::parse(R"({"k": 5.5, "big": 18446744073709551615, "x": 2, "s": "",
                                    "list": ["a", 3], "word": "c", "flag": "yes", "extra": 1})");
  MemberReader members(body, "like[0].");
  CHECK(refusal([&] { members.integer("k", 1, 1, 9); }) ==
        "member 'like[0].k': expected a whole number from 1 to 9, found 5.5");
  CHECK(refusal([&] { members.integer("big", 1, 1, 9); }).starts_with("member 'like[0].big'"));
  CHECK(refusal([&] { members.number("x", 0, 0, 1); }) ==
        "member 'like[0].x': expected a number from 0.0 to 1.0, found 2");
  CHECK(refusal([&] { members.text("s", 1, 9); }) ==
        "member 'like[0].s': expected a string of 1 to 9 bytes, found 0");
  CHECK(refusal([&] { members.texts("list", 9, 9); }) ==
        "member 'like[0].list[1]': expected a string, found 3");
  CHECK(refusal([&] { members.list("list", 1); }) ==
        "member 'like[0].list': expected at most 1 elements, found 2");
  CHECK(refusal([&] {
          members.word("word", "a", {"a", "b"});
        }) == "member 'like[0].word': expected one of a, b, found 'c'");
  CHECK(refusal([&] { members.flag("flag", true); }) ==
        "member 'like[0].flag': expected true or false, found \"yes\"");
  CHECK(refusal([&] { members.done(); }) == "unknown member 'like[0].extra'");
}
