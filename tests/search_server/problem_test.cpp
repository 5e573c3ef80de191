#include "http/problem.h"

#include <nlohmann/json.hpp>

#include "tests/fixtures/catch.h"

using search_server::Problem;
using search_server::Response;

TEST_CASE("a problem is told as RFC 9457 has it") {
  Problem problem(404, "document-not-found", "There is no document \"<x>\".");
  problem.with("Retry-After", "3");
  const Response response = problem.response("/documents/%3Cx%3E", "id-1");
  CHECK(response.status == 404);
  CHECK(response.type == "application/problem+json");
  CHECK(response.headers == std::vector<std::pair<std::string, std::string>>{{"Retry-After", "3"}});
  CHECK(nlohmann::json::parse(response.body) ==
        nlohmann::json({{"type", "urn:kindred:problem:document-not-found"},
                        {"title", "Not Found"},
                        {"status", 404},
                        {"detail", "There is no document \"<x>\"."},
                        {"instance", "/documents/%3Cx%3E"},
                        {"request_id", "id-1"}}));
}

TEST_CASE("a problem of bytes that are no UTF-8 is valid JSON nevertheless") {
  const Response response = Problem(400, "odd", "\xff\xfe").response("/\xC3", "");
  CHECK(nlohmann::json::accept(response.body));
}
