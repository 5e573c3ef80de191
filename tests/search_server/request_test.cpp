#include "http/request.h"

#include "body_of_text.h"
#include "http/encoding.h"
#include "http/problem.h"
#include "tests/fixtures/catch.h"

using namespace search_server;

namespace {

std::string detail_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Problem& problem) {
    CHECK(problem.status() == 400);
    return problem.detail();
  }
  return "it was taken";
}

}  // namespace

TEST_CASE("numbers and flags of a query have ranges, and errors say them") {
  Request request;
  request.query = {
      {"k", "10"}, {"k", "99"}, {"x", "0.5"}, {"on", "1"},  {"off", "false"},
      {"e", ""},   {"w", " 1"}, {"h", "0x1"}, {"n", "nan"}, {"big", "99999999999999999999"}};
  CHECK(request.integer("k", 1, 1, 10) == 10);
  CHECK(request.integer("none", 7, 1, 10) == 7);
  CHECK(request.number("x", 1, 0, 1) == 0.5);
  CHECK(request.flag("on", false));
  CHECK_FALSE(request.flag("off", true));
  CHECK(request.parameters("k") == std::vector<std::string>{"10", "99"});
  CHECK(detail_of([&] { request.integer("k", 1, 1, 9); }) ==
        "The parameter \"k\" is \"10\", but must be a whole number from 1 to 9.");
  CHECK(detail_of([&] { request.number("n", 1, 0, 0.25); }) ==
        "The parameter \"n\" is \"nan\", but must be a number from 0 to 0.25.");
  CHECK(detail_of([&] { request.flag("x", true); }) ==
        "The parameter \"x\" is \"0.5\", but must be 1, true, 0 or false.");
  for (const char* name : {"e", "w", "h", "x", "big"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(request.integer(name, 1, 0, 100), Problem);
  }
}

TEST_CASE("what is encoded is decoded to the same bytes") {
  std::string all;
  for (int c = 0; c < 128; ++c) all.push_back(static_cast<char>(c));
  all += "\xC3\xA4\xF0\x9F\x99\x82";
  CHECK(percent_decode(percent_encode(all)) == all);
  CHECK(percent_encode("a b/c?d&e=f+g%") == "a%20b%2Fc%3Fd%26e%3Df%2Bg%25");
  CHECK(percent_decode("a+b") == "a+b");
  CHECK(percent_decode("a+b", true) == "a b");
}

TEST_CASE("malformed UTF-8 and escapes are refused") {
  for (const char* text :
       {"%", "%1", "%g1", "%ff", "%C0%80", "%ED%A0%80", "%F4%90%80%80", "\xC3"}) {
    CAPTURE(text);
    CHECK_FALSE(percent_decode(text));
    CHECK_THROWS_AS(parse_parameters(text), Problem);
  }
  CHECK(percent_decode("%00")->size() == 1);
}

TEST_CASE("parameters keep their order, and a thousand are the most") {
  CHECK(parse_parameters("b=1&a=%26&&b=&c") ==
        Parameters{{"b", "1"}, {"a", "&"}, {"b", ""}, {"c", ""}});
  CHECK(parse_parameters("").empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "a&";
  CHECK(parse_parameters(many).size() == 1000);
  CHECK_THROWS_AS(parse_parameters(many + "a"), Problem);
}

TEST_CASE("a form is read from a body of its type only") {
  BodyOfText body("name=J%C3%BCrgen+M&x=1");
  Request request;
  request.set_body(&body);
  CHECK_THROWS_AS(form_parameters(request, 100), Problem);
  request.headers["content-type"] = "application/x-www-form-urlencoded; charset=UTF-8";
  CHECK(form_parameters(request, 100) == Parameters{{"name", "J\xC3\xBCrgen M"}, {"x", "1"}});
}
