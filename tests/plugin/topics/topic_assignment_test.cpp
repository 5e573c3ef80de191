// Assignment runs give documents a topic, a unit and a value without indexing them again.
#include <xapian.h>

#include "plugin/learning.h"
#include "plugin/writing/stored_answers.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_limit.h"
#include "tests/fixtures/tagged_document.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::make_database;
using test::small_request;
using test::Terms;
using test::TopicsIndex;

namespace {

struct Stop {};

/// Everything that a document holds, except its place on the map.
std::string rest_of(const Xapian::Document& document) {
  std::string all = document.get_data();
  for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term) {
    if ((*term).starts_with("XTOPIC") || (*term).starts_with("XUNIT")) continue;
    all += "\n" + *term + " " + std::to_string(term.get_wdf());
    for (auto at = term.positionlist_begin(); at != term.positionlist_end(); ++at)
      all += "," + std::to_string(*at);
  }
  for (auto value = document.values_begin(); value != document.values_end(); ++value)
    if (value.get_valueno() != 7002) all += "\n" + *value;
  return all;
}

/// Checks that every document of the index holds the place that the engine gives for it.
void check_places(Engine& engine) {
  engine.refresh();
  const Xapian::Database database(engine.path());
  for (const PlacedDocument& placed :
       Reading(engine).placed_documents(engine.matching("")).documents) {
    INFO(placed.id);
    const Xapian::Document document = database.get_document(placed.docid);
    CHECK(test::terms_with(document, "XTOPIC") ==
          Terms{"XTOPIC" + std::to_string(placed.place.topic)});
    CHECK(test::terms_with(document, "XUNIT") ==
          Terms{"XUNIT" + std::to_string(placed.place.unit)});
    CHECK(document.get_value(7002).find("\"unit\":" + std::to_string(placed.place.unit) + ",") !=
          std::string::npos);
  }
}

}  // namespace

TEST_CASE_METHOD(TopicsIndex,
                 "documents of the index get their places, and nothing else of them changes") {
  train_topics(engine, small_request());
  const std::string before = rest_of(test::document(Xapian::Database(path), "sea0"));
  const RunReport report = assign_topics(engine);
  CHECK(report.matched == 200);
  CHECK(report.examined == 200);
  CHECK(report.written == 200);
  CHECK(report.continued == 0);
  CHECK(report.gone == 0);
  check_places(engine);
  CHECK(rest_of(test::document(Xapian::Database(path), "sea0")) == before);
  CHECK(assign_topics(engine).written == 0);
}

TEST_CASE_METHOD(TopicsIndex, "documents that others write meanwhile get their own place") {
  train_topics(engine, small_request());
  const Xapian::docid last = Xapian::Database(path).get_lastdocid();
  AssignRequest request;
  request.on_progress = [&, first = true](const RunReport&) mutable {
    if (!std::exchange(first, false)) return;
    Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
    database.replace_document(last, database.get_document(last - 3));  // of another subject
    database.delete_document(last - 1);
  };
  const RunReport report = assign_topics(engine, request);
  CHECK((report.matched == 200 && report.examined == 200 && report.gone == 1));
  check_places(engine);
}

TEST_CASE_METHOD(TopicsIndex, "a filter by topic or unit finds the documents that lie there") {
  train_topics(engine, small_request());
  CHECK(engine.matching("topic:1").empty());
  assign_topics(engine);
  engine.refresh();
  std::map<std::string, std::vector<Xapian::docid>> expected;
  for (const PlacedDocument& placed :
       Reading(engine).placed_documents(engine.matching("")).documents) {
    expected["topic:" + std::to_string(placed.place.topic)].push_back(placed.docid);
    expected["unit:" + std::to_string(placed.place.unit)].push_back(placed.docid);
  }
  for (const auto& [query, docids] : expected) {
    INFO(query);
    CHECK(engine.matching(query) == docids);
  }
}

TEST_CASE_METHOD(TopicsIndex, "an assigned document holds what ingest would write") {
  train_topics(engine, small_request());
  assign_topics(engine);
  const auto value = [&] {
    return test::document(Xapian::Database(path), "music1").get_value(7002);
  };
  const std::string assigned = value();
  make_database(path);  // the same records again, by ingest
  CHECK(value() == assigned);
  CHECK(assign_topics(engine).written == 0);
}

TEST_CASE_METHOD(TopicsIndex, "another map takes the place of an older one's terms") {
  train_topics(engine, small_request());
  assign_topics(engine);
  TrainTopicsRequest other = small_request();
  other.rows = other.columns = 5;
  other.topics = 2;
  engine.refresh();
  train_topics(engine, other);
  CHECK(assign_topics(engine).written == 200);
  check_places(engine);
  CHECK(!Xapian::Database(path).term_exists("XTOPIC3"));
}

TEST_CASE_METHOD(TopicsIndex, "an interrupted assignment goes on, unless map or index changed") {
  train_topics(engine, small_request());
  const auto interrupt = [&](int batches) {
    AssignRequest request;
    request.on_progress = [&](const RunReport&) {
      if (--batches == 0) throw Stop{};
    };
    CHECK_THROWS_AS(assign_topics(engine, request), Stop);
  };
  interrupt(2);
  SECTION("the rest is done, and all documents have places") {
    const RunReport report = assign_topics(engine);
    CHECK(report.continued == 100);
    CHECK(report.examined == 100);
    CHECK(report.written == 100);
    check_places(engine);
    CHECK(assign_topics(engine).continued == 0);
  }
  SECTION("asked to start over it does, and writes what is missing") {
    AssignRequest request;
    request.restart = true;
    const RunReport report = assign_topics(engine, request);
    CHECK(report.continued == 0);
    CHECK(report.written == 100);
  }
  SECTION("another map ends it while it is under way, and makes it start over") {
    TrainTopicsRequest other = small_request();
    other.rows = 6;
    AssignRequest request;
    request.restart = true;
    request.on_progress = [&](const RunReport&) { train_topics(engine, other); };
    CHECK(code_of([&] { assign_topics(engine, request); }, "another map") == Errc::kDatabase);
    CHECK(assign_topics(engine).continued == 0);
    check_places(engine);
  }
  SECTION("another writer makes it start over") {
    test::change_term(path, "sea0", "", "XOTHER");
    CHECK(assign_topics(engine).continued == 0);
    check_places(engine);
  }
}

TEST_CASE_METHOD(TopicsIndex,
                 "an assignment that meets a full disk leaves every document as it was") {
  train_topics(engine, small_request());
  {
    const test::FileLimit limit(1024);
    CHECK(code_of([&] { assign_topics(engine); }) == Errc::kDatabase);
  }
  CHECK(!Xapian::Database(path).term_exists("XTOPIC1"));
  CHECK(assign_topics(engine).written == 200);
  check_places(engine);
}

TEST_CASE_METHOD(TopicsIndex, "an assignment without map, path or lock is refused", "[slow]") {
  CHECK(code_of([&] { assign_topics(engine); }, "topics train") == Errc::kNotFound);
  train_topics(engine, small_request());
  {
    const Xapian::WritableDatabase held(path, Xapian::DB_OPEN);
    CHECK(code_of([&] { assign_topics(engine); }) == Errc::kDatabase);
  }
  Engine memory(Xapian::Database(path), Settings{});
  CHECK(code_of([&] { assign_topics(memory); }, "by path") == Errc::kUnsupported);
  CHECK(!Xapian::Database(path).term_exists("XTOPIC1"));
}
