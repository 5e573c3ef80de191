#include "http/access.h"

#include <set>

#include "http/problem.h"
#include "tests/fixtures/catch.h"

using namespace search_server;

namespace {

constexpr const char* kToken = "0123456789abcdef";
const Route kReading{"GET", "/a", {}, {}};
const Route kWriting{"POST", "/a", {.writes = true}, {}};

Request request_with(std::map<std::string, std::string, std::less<>> headers) {
  Request request;
  request.headers = std::move(headers);
  return request;
}

int refusal(const Access& access, Request request, const Route& route) {
  request.may_write = access.may_write(request);
  try {
    access.check(request, route);
  } catch (const Problem& problem) {
    return problem.status();
  }
  return 0;
}

}  // namespace

TEST_CASE("texts are equal only if all of their bytes are") {
  CHECK(equal_in_constant_time("", ""));
  CHECK(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "abd", "bbc"}) {
    CHECK_FALSE(equal_in_constant_time("abc", other));
  }
}

TEST_CASE("random texts differ") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(random_hex(8));
  CHECK(seen.size() == 100);
  CHECK(seen.begin()->size() == 16);
}

TEST_CASE("the token lets write, and nothing else does") {
  const Access access({kToken, {}});
  CHECK(refusal(access, request_with({}), kReading) == 0);
  CHECK(refusal(access, request_with({}), kWriting) == 401);
  CHECK(refusal(access, request_with({{"authorization", "Bearer x"}}), kWriting) == 401);
  CHECK(refusal(access, request_with({{"authorization", std::string("Bearer ") + kToken}}),
                kWriting) == 0);
  CHECK(refusal(access, request_with({{"cookie", std::string("kindred_session=") + kToken}}),
                kWriting) == 401);
}

TEST_CASE("without a token everybody may write, but not pages of other sites") {
  const Access access({"", {"search.example"}});
  CHECK(refusal(access, request_with({}), kWriting) == 0);
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:80", "[::1]:8080", "[::1]",
                           "search.example", "Search.Example:443"}) {
    CAPTURE(host);
    CHECK(refusal(access, request_with({{"host", host}}), kReading) == 0);
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "search.example.evil", "["}) {
    CAPTURE(host);
    CHECK(refusal(access, request_with({{"host", host}}), kReading) == 421);
  }
  CHECK(refusal(access, request_with({{"host", "localhost"}, {"origin", "http://evil.example"}}),
                kWriting) == 403);
  CHECK(refusal(access, request_with({{"host", "localhost"}, {"origin", "http://localhost"}}),
                kWriting) == 0);
}

TEST_CASE("a session lasts until it is ended, or its time is over") {
  Access access({kToken, {}, std::chrono::hours(1)});
  const std::string value = access.begin_session();
  const std::string other = access.begin_session();
  CHECK(value != other);
  const Request request = request_with({{"cookie", "a=b; kindred_session=" + value + "; c=d"}});
  CHECK(access.may_write(request));
  CHECK_FALSE(access.may_write(request_with({{"cookie", "xkindred_session=" + value}})));
  CHECK_FALSE(access.may_write(request_with({{"cookie", "kindred_session="}})));
  access.end_session(request);
  CHECK_FALSE(access.may_write(request));
  CHECK(access.may_write(request_with({{"cookie", "kindred_session=" + other}})));
  Access brief({kToken, {}, std::chrono::seconds(0)});
  CHECK_FALSE(
      brief.may_write(request_with({{"cookie", "kindred_session=" + brief.begin_session()}})));
}

TEST_CASE("the oldest of very many sessions ends") {
  Access access({kToken, {}});
  const std::string first = access.begin_session();
  const std::string second = access.begin_session();
  for (int i = 0; i < 999; ++i) access.begin_session();
  CHECK_FALSE(access.may_write(request_with({{"cookie", "kindred_session=" + first}})));
  CHECK(access.may_write(request_with({{"cookie", "kindred_session=" + second}})));
}
