// Answers that are kept, since they take seconds to make.
#include "api/slow_answers.h"

#include <future>
#include <stdexcept>
#include <thread>

#include "http/problem.h"
#include "tests/fixtures/catch.h"

using namespace search_server;
using namespace std::chrono_literals;

namespace {

/// Makes lists of documents "a", "b" and "c", and counts how often.
struct Maker {
  std::chrono::milliseconds takes{0};
  int made = 0;

  Json operator()() {
    ++made;
    std::this_thread::sleep_for(takes);
    return {{"items", {{{"id", "a"}}, {{"id", "b"}}, {{"id", "c"}}}}};
  }
};

std::string ids(const Json& answer) {
  std::string ids;
  for (const Json& item : answer["items"]) ids += item["id"].get<std::string>();
  return ids;
}

struct Fixture {
  SlowAnswers answers;
  Maker maker;

  std::string ask(const std::string& revision, const std::string& question = "q") {
    return ids(answers.get(question, revision, "items", SlowAnswers::Clock::now() + 10s,
                           [this] { return maker(); }));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "an answer is made once for a revision and a question") {
  CHECK(ask("1") == "abc");
  CHECK(ask("1") == "abc");
  CHECK(maker.made == 1);
  ask("1", "another");
  CHECK(maker.made == 2);
}

TEST_CASE_METHOD(Fixture, "an answer that was quick to make is not kept for the next revision") {
  ask("1");
  std::this_thread::sleep_for(20ms);
  ask("2");
  CHECK(maker.made == 2);
}

TEST_CASE_METHOD(Fixture, "a slow answer is kept without the documents that people changed") {
  maker.takes = 300ms;
  ask("1");
  answers.changed("b");
  CHECK(ask("2") == "ac");
  CHECK(maker.made == 1);
  answers.changed("c");
  CHECK(ask("3") == "abc");  // most of it was worked through
  CHECK(maker.made == 2);
}

TEST_CASE_METHOD(Fixture, "who asks while an answer is made waits for it") {
  maker.takes = 200ms;
  auto other = std::async(std::launch::async, [this] { return ask("1"); });
  std::this_thread::sleep_for(50ms);
  CHECK(ask("1") == "abc");
  CHECK(other.get() == "abc");
  CHECK(maker.made == 1);
  auto slow = std::async(std::launch::async, [this] { return ask("1", "more"); });
  std::this_thread::sleep_for(50ms);
  const auto soon = SlowAnswers::Clock::now() + 10ms;
  CHECK_THROWS_AS(answers.get("more", "1", "items", soon, [] { return Json(); }), Problem);
  slow.get();
}

TEST_CASE_METHOD(Fixture, "a failure is passed on, and the next request tries again") {
  const auto fail = []() -> Json { throw std::runtime_error("no"); };
  const auto later = SlowAnswers::Clock::now() + 10s;
  CHECK_THROWS_AS(answers.get("q", "1", "items", later, fail), std::runtime_error);
  CHECK(ask("1") == "abc");
}
