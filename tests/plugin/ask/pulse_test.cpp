// Questions that whoever asks them can watch and end.
#include "config/pulse.h"

#include <map>
#include <string>

#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::record;

namespace {

/// A pulse that ends the work at once.
Pulse ending() {
  return Pulse([] { throw Error(Errc::kCanceled, "ended by the pulse"); });
}

/// Requests that all questions can answer, or would if they were not canceled.
const std::map<std::string, std::string> kRequests = {
    {"related", R"({"like": [{"id": "cat1"}]})"},
    {"classify", R"({"example": {"id": "cat1"}})"},
    {"candidates", R"({"label": "pets"})"},
    {"topic_of", R"({"examples": [{"id": "cat1"}]})"},
    {"documents", R"({"examples": [{"id": "cat1"}]})"},
    {"search", R"({"query": "cat"})"},
    {"analyze", R"({"text": "cat"})"},
    {"edit", R"({"edits": [{"id": "cat1", "add": ["new"]}]})"},
    {"load_vocabulary", R"({"terms": []})"},
    {"edit_label", R"({"label": "pets", "name": "new"})"},
    {"delete", R"({"ids": ["cat1"]})"}};

}  // namespace

TEST_CASE("each question of the table ends at its first step if the caller says so") {
  const test::Collection collection;
  Engine engine(collection.path, {});
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    int steps = 0;
    AskedIndex index{collection.path, {}, [&]() -> Engine& { return engine; }};
    index.on_step = [&](const AskStep&) { return ++steps == 0; };
    const auto request = kRequests.find(question.name);
    const auto call = [&] {
      ask(index, question.name, request == kRequests.end() ? "" : request->second);
    };
    CHECK(test::code_of(call, question.name + ": canceled") == Errc::kCanceled);
    CHECK(steps == 1);
  }
  engine.refresh();
  CHECK(engine.docid_of("cat1"));
  CHECK(engine.labels() == std::vector<std::string>{"animals", "finance", "pets"});
}

TEST_CASE("a phrase that no document has is given up while Xapian compares places") {
  std::vector<Record> records;
  for (int i = 0; i < 100; ++i) records.push_back(record(std::to_string(i), "beta alpha gamma"));
  const test::EngineOf engine(records);
  for (const char* query : {"\"alpha beta\"", "gamma AND (\"alpha beta\" OR \"gamma beta\")",
                            "gamma ADJ/1 alpha OR \"alpha beta\"", "alpha", "alp* -beta"}) {
    CAPTURE(query);
    MatchingRequest request;
    request.query = query;
    request.pulse = ending();
    CHECK(test::code_of([&] { engine.matching(request); }, "ended") == Errc::kCanceled);
    request.pulse = {};
    CHECK_NOTHROW(engine.matching(request));
    RelatedRequest related;
    related.like_query = query;
    related.pulse = ending();
    CHECK(test::code_of([&] { engine.related(related); }, "ended") == Errc::kCanceled);
  }
}

TEST_CASE("a pulse finds the same documents as none, also in a database in memory and in a stub") {
  const std::vector<Record> records = {record("a", "beta alpha"), record("b", "alpha beta"),
                                       record("c", "alphabet beta"), record("d", "gamma")};
  const auto expect_same = [](const Engine& engine) {
    for (const char* query :
         {"\"alpha beta\"", "alp*", "-gamma", "alpha OR gamma", "beta NEAR alpha"}) {
      CAPTURE(query);
      MatchingRequest request;
      request.query = query;
      const auto without = engine.matching(request).docids;
      int beats = 0;
      request.pulse = Pulse([&] { ++beats; });
      CHECK(engine.matching(request).docids == without);
    }
  };
  expect_same(test::EngineOf(records));
  Xapian::WritableDatabase memory(std::string(), Xapian::DB_BACKEND_INMEMORY);
  for (const char* word : {"alpha", "alphabet", "beta"}) {
    Xapian::Document document;
    document.add_posting(word, 1);
    document.add_posting("gamma", 2);
    memory.add_document(document);
  }
  expect_same(Engine(memory, Settings{}));
}

TEST_CASE("work is cut into portions only for a listener, and its end is passed on") {
  std::vector<std::size_t> ends;
  const auto work = [&](std::size_t begin, std::size_t end) {
    CHECK(begin == (ends.empty() ? 0 : ends.back()));
    ends.push_back(end);
  };
  in_portions(1000, 10, {}, work);
  CHECK(ends == std::vector<std::size_t>{1000});
  ends.clear();
  int beats = 0;
  in_portions(1000, 10, Pulse([&] { ++beats; }), work);
  CHECK(ends.front() == 10);
  CHECK(ends.back() == 1000);
  CHECK(beats >= 1);
  ends.clear();
  CHECK_THROWS_AS(in_portions(1000, 10, ending(), work), Error);
  CHECK(ends == std::vector<std::size_t>{10});
}

TEST_CASE("a pulse acts only in the thread that made it") {
  const Pulse pulse = ending();
  bool ended = false;
  std::thread([&] {
    pulse();
    ended = true;
  }).join();
  CHECK(ended);
  CHECK_THROWS_AS(pulse(), Error);
}
