#include "http/router.h"

#include <stdexcept>

#include "tests/fixtures/catch.h"

using search_server::Request;
using search_server::Response;
using search_server::Router;

namespace {

Router router_of(std::initializer_list<std::pair<const char*, const char*>> routes) {
  Router router;
  for (const auto& [method, pattern] : routes) {
    router.add(method, pattern, [](const Request&) { return Response(); });
  }
  return router;
}

std::string matched(const Router& router, const char* method, const char* path) {
  const Router::Match match = router.match(method, path);
  return match.route == nullptr ? "" : match.route->pattern;
}

}  // namespace

TEST_CASE("a literal segment wins over a capture, whichever was added first") {
  const Router router = router_of({{"GET", "/jobs/{id}"},
                                   {"GET", "/jobs/tune"},
                                   {"POST", "/jobs/tune"},
                                   {"GET", "/{a}/tune"},
                                   {"GET", "/"}});
  CHECK(matched(router, "GET", "/jobs/tune") == "/jobs/tune");
  CHECK(matched(router, "GET", "/jobs/7") == "/jobs/{id}");
  CHECK(matched(router, "GET", "/other/tune") == "/{a}/tune");
  CHECK(matched(router, "GET", "/") == "/");
  CHECK(matched(router, "GET", "/jobs") == "");
  CHECK(matched(router, "GET", "/jobs/") == "");
  CHECK(matched(router, "GET", "/jobs/7/") == "");
  CHECK(matched(router, "GET", "") == "");
}

TEST_CASE("an encoded slash stays within its segment") {
  const Router router = router_of({{"GET", "/documents/{id}"}, {"GET", "/documents/{id}/related"}});
  CHECK(router.match("GET", "/documents/a%2Frelated").captures.at("id") == "a/related");
  CHECK(router.match("GET", "/documents/%C3%A4%20%25").captures.at("id") == "\xC3\xA4 %");
  CHECK(matched(router, "GET", "/documents/a/related") == "/documents/{id}/related");
  CHECK(matched(router, "GET", "/documents/%zz") == "");
  CHECK(matched(router, "GET", "/documents/%ff") == "");
}

TEST_CASE("the methods of a path are known for those it does not take") {
  const Router router = router_of({{"GET", "/a"}, {"PUT", "/a"}, {"PUT", "/{b}"}, {"GET", "/c/d"}});
  const Router::Match match = router.match("DELETE", "/a");
  CHECK(match.route == nullptr);
  CHECK(match.allowed == std::vector<std::string>{"GET", "PUT"});
  CHECK(router.match("DELETE", "/c").allowed == std::vector<std::string>{"PUT"});
  CHECK(router.match("DELETE", "/c/e").allowed.empty());
  CHECK(matched(router, "PUT", "/c") == "/{b}");
}

TEST_CASE("a route that is there already, or does not begin with a slash, is refused") {
  Router router = router_of({{"GET", "/a"}});
  const auto none = [](const Request&) { return Response(); };
  CHECK_THROWS_AS(router.add("GET", "/a", none), std::logic_error);
  CHECK_THROWS_AS(router.add("GET", "a", none), std::logic_error);
  CHECK_NOTHROW(router.add("PUT", "/a", none));
}
