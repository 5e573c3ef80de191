// What this process writes is in the next snapshot, and is not read back.
#include <xapian.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plugin/documents/tag_edit.h"
#include "plugin/engine.h"
#include "plugin/mirror/following/own_writes.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/related_store.h"
#include "plugin/writing/tagging.h"
#include "plugin/writing/topic_assignment.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::record;
using test::TemporaryDirectory;

namespace {

Settings plain_settings() {
  Settings settings;
  settings.backend.kind = "cpu";
  settings.backend.threads = 2;
  settings.classify.auto_tune = false;
  return settings;
}

/// An engine, and where its log says that its last snapshot came from.
struct ToldEngine {
  explicit ToldEngine(const std::string& path, const Settings& settings = plain_settings())
      : engine(path, settings, [this](const std::string& message) {
          for (const char* part : {"may have changed", "this process wrote", "are read again"})
            if (message.find(part) != std::string::npos) said.emplace_back(part);
        }) {}

  std::vector<std::string> refresh() {
    said.clear();
    engine.refresh();
    return said;
  }

  std::vector<std::string> said;
  Engine engine;
};

const std::vector<std::string> kOwn = {"this process wrote"};
const std::vector<std::string> kRead = {"may have changed"};

void check_same_answers(const Engine& engine, const Engine& fresh, const std::string& id) {
  CAPTURE(id);
  RelatedRequest request;
  request.like = {UniqueId{id}};
  request.k = 50;
  const auto results = engine.related(request).results, expected = fresh.related(request).results;
  REQUIRE(results.size() == expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(results[i].docid == expected[i].docid);
    CHECK(results[i].id == expected[i].id);
    CHECK(results[i].similarity == expected[i].similarity);
  }
  if (fresh.status().labeled == 0) return;
  const auto tags = engine.classify(UniqueId{id}).tags, wanted = fresh.classify(UniqueId{id}).tags;
  REQUIRE(tags.size() == wanted.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    CHECK(tags[i].label == wanted[i].label);
    CHECK(tags[i].confidence == wanted[i].confidence);
  }
}

/// The engine answers as one that is opened now about documents with an id.
void check_as_if_opened_now(const Engine& engine, const std::vector<std::string>& ids) {
  const Engine fresh(engine.path(), engine.settings());
  const Status status = engine.status(), expected = fresh.status();
  CHECK(status.documents == expected.documents);
  CHECK(status.terms == expected.terms);
  CHECK(status.nonzeros == expected.nonzeros);
  CHECK(status.labels == expected.labels);
  CHECK(status.labeled == expected.labeled);
  CHECK(status.tagged == expected.tagged);
  CHECK(status.pending == expected.pending);
  CHECK(status.opted_out == expected.opted_out);
  CHECK(status.rejected == expected.rejected);
  CHECK(status.revision == expected.revision);
  REQUIRE((status.shards == nullptr) == (expected.shards == nullptr));
  if (status.shards) CHECK(*status.shards == *expected.shards);
  for (const std::string& id : ids) check_same_answers(engine, fresh, id);
}

const std::vector<std::string> kSome = {"d1", "d7", "d20", "d33"};

/// 40 records, d0 to d39, about animals or finance; two in three have a label.
std::vector<Record> forty_records() {
  std::vector<Record> records;
  for (int i = 0; i < 40; ++i) {
    const bool animal = i % 2 == 0;
    const std::string text = (animal ? "cat purrs mat fur dog t" : "tax budget bank income t") +
                             std::to_string(i % 9) + " u" + std::to_string(i);
    std::vector<std::string> labels;
    if (i % 3 != 0) labels = {animal ? "animals" : "finance"};
    records.push_back(record("d" + std::to_string(i), text, labels));
  }
  return records;
}

void write(Engine& engine, const std::vector<Record>& records, bool tag = true) {
  IngestOptions options;
  options.tag = tag;
  Ingest ingest(engine, options);
  for (const Record& each : records) ingest.add(each);
  ingest.commit();
}

/// An index of forty_records(); a stub, if it has several shards.
std::string small_index(const TemporaryDirectory& directory, int shards = 1) {
  const std::string path = directory / "db";
  if (shards > 1) {
    std::ofstream stub(path);
    for (int i = 0; i < shards; ++i) {
      Xapian::WritableDatabase(directory / std::to_string(i), Xapian::DB_CREATE).commit();
      stub << "auto " << i << "\n";
    }
  }
  IngestOptions options;
  options.tag = false;
  Ingest ingest(path, plain_settings(), options);
  for (const Record& each : forty_records()) ingest.add(each);
  ingest.commit();
  return path;
}

OwnWrites::Commits commits_of(const std::string& uuid, std::uint64_t from, std::uint64_t to,
                              std::size_t bytes = 1) {
  OwnWrites::Commit commit;
  commit.uuid = uuid;
  commit.from = from;
  commit.to = to;
  commit.bytes = bytes;
  return {std::make_shared<const OwnWrites::Commit>(std::move(commit))};
}

}  // namespace

TEST_CASE("what ingest adds and replaces is in the next snapshot, and is not read back") {
  const TemporaryDirectory directory;
  ToldEngine told(small_index(directory, GENERATE(1, 3)));
  for (int step = 0; step < 20; ++step) {
    CAPTURE(step);
    std::vector<Record> records;
    for (int i = 0; i <= step; ++i) {
      const int number = (step * 17 + i * 5) % 60;
      records.push_back(
          record("d" + std::to_string(number),
                 "cat budget t" + std::to_string(i) + " v" + std::to_string(step),
                 i % 4 == 0 ? std::vector<std::string>{"finance"} : std::vector<std::string>{}));
    }
    write(told.engine, records, step % 2 == 0);
    CHECK(told.refresh() == kOwn);
    check_as_if_opened_now(told.engine, kSome);
  }
}

TEST_CASE("the second document of a stream is tagged by the first, which nobody reads back") {
  const TemporaryDirectory directory;
  Settings settings = plain_settings();
  settings.index.batch = 1;
  settings.classify.k = 1;
  ToldEngine told(small_index(directory, GENERATE(1, 3)), settings);
  std::vector<std::vector<Tag>> tags;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) { tags.push_back(report.tags); };
  Ingest ingest(told.engine, options);
  told.said.clear();
  ingest.add(record("x1", "zebra savanna stripes", {"animals"}));
  ingest.add(record("x2", "zebra savanna stripes", {}));
  ingest.commit();
  REQUIRE(tags.size() == 2);
  REQUIRE(tags[1].size() == 1);
  CHECK(tags[1][0].label == "animals");
  CHECK(told.said == kOwn);
}

TEST_CASE("tags that this process gives, edits and forbids are in the next snapshot unread") {
  const TemporaryDirectory directory;
  const Settings settings = plain_settings();
  const std::string path = small_index(directory, GENERATE(1, 3));
  ToldEngine told(path, settings);
  REQUIRE(tag_documents(told.engine, {}).written > 0);
  CHECK(told.refresh() == kOwn);
  check_as_if_opened_now(told.engine, kSome);
  TagEdit edit;
  edit.remove = {"animals", "other"};
  edit_tags(path, settings, {"d0", "d6"}, edit, &told.engine.own_writes());
  edit.remove.clear();
  edit.auto_tag = false;
  edit_tags(path, settings, {"d3"}, edit, &told.engine.own_writes());
  CHECK(told.refresh() == kOwn);
  CHECK(told.engine.status().opted_out == 1);
  check_as_if_opened_now(told.engine, kSome);
  CHECK(store_related(told.engine, {}).written > 0);
  CHECK(told.refresh() == kOwn);
  check_as_if_opened_now(told.engine, kSome);
}

TEST_CASE("labels that people give through this process and deletions are not read back") {
  const TemporaryDirectory directory;
  const std::string path = small_index(directory, GENERATE(1, 3));
  ToldEngine told(path);
  REQUIRE(tag_documents(told.engine, {}).written > 0);
  for (int step = 0; step < 12; ++step) {
    CAPTURE(step);
    TagEdit give, take_back;
    give.give = {step % 4 == 3   ? "new" + std::to_string(step)
                 : step % 2 == 0 ? "finance"
                                 : "animals"};
    take_back.take_back = {step % 2 == 0 ? "animals" : "finance"};
    const std::vector<DocumentEdit> edits = {{"d" + std::to_string(step * 3 + 2), give},
                                             {"d" + std::to_string(step * 2 + 1), take_back}};
    edit_documents(path, plain_settings(), edits, &told.engine.own_writes());
    CHECK(told.refresh() == kOwn);
    check_as_if_opened_now(told.engine, {"d1", "d7", "d20"});
    const std::vector<std::string> gone = {"d" + std::to_string(39 - step / 4)};
    if (step % 4 == 0) CHECK(delete_documents(told.engine, gone).deleted == 1);
    told.refresh();
    check_as_if_opened_now(told.engine, {"d1", "d7", "d20"});
  }
}

TEST_CASE("topics that this process assigns are in the next snapshot unread", "[topics]") {
  const TemporaryDirectory directory;
  ToldEngine told(test::make_database(directory / "topics.db"), Settings{});
  told.engine.train_topics(test::small_request());
  REQUIRE(assign_topics(told.engine).written == 200);
  CHECK(told.refresh() == kOwn);
  check_as_if_opened_now(told.engine, {"sea0"});
}

TEST_CASE("a commit of somebody else between two of this process is not missed") {
  const TemporaryDirectory directory;
  const std::string path = small_index(directory, GENERATE(1, 3));
  ToldEngine told(path);
  for (int step = 0; step < 10; ++step) {
    CAPTURE(step);
    const std::string id = "new" + std::to_string(step);
    write(told.engine, {record(id, "cat purrs w" + std::to_string(step), {})});
    if (step % 3 == 1) CHECK(told.refresh() == kOwn);
    {
      Xapian::WritableDatabase other(path, Xapian::DB_OPEN);
      other.delete_document(step % 2 == 0 ? "Q" + id : "Qd" + std::to_string(step));
      other.commit();
    }
    if (step % 3 == 2) write(told.engine, {record("d0", "bank s" + std::to_string(step), {})});
    CHECK(told.refresh() == kRead);
    check_as_if_opened_now(told.engine, {"d0", "d20"});
    write(told.engine, {record("d0", "mat s" + std::to_string(step), {"animals"})});
    CHECK(told.refresh() == kOwn);
    check_as_if_opened_now(told.engine, {"d0", "d20"});
  }
}

TEST_CASE("a document that replaces several with its id is in the next snapshot alone") {
  const TemporaryDirectory directory;
  const std::string path = small_index(directory, GENERATE(1, 3));
  {
    Xapian::WritableDatabase other(path, Xapian::DB_OPEN);
    Xapian::Document twin;
    twin.add_boolean_term("Qd5");
    twin.add_term("Zcat");
    other.add_document(twin);
    other.commit();
  }
  ToldEngine told(path);
  const std::uint64_t before = told.engine.status().documents;
  write(told.engine, {record("d5", "dog bank", {})});
  CHECK(told.refresh() == kOwn);
  CHECK(told.engine.status().documents == before - 1);
  check_as_if_opened_now(told.engine, {"d5", "d7"});
}

TEST_CASE("a mirror that is saved after writes of this process follows what others write then") {
  const TemporaryDirectory directory;
  const std::string path = small_index(directory, GENERATE(1, 3));
  {
    ToldEngine told(path);
    write(told.engine, {record("x1", "cat purrs", {}), record("d4", "bank", {})});
    CHECK(told.refresh() == kOwn);
    told.engine.save_mirror();
  }
  {
    Xapian::WritableDatabase other(path, Xapian::DB_OPEN);
    other.delete_document("Qx1");
    other.commit();
  }
  std::vector<std::string> messages;
  const Engine engine(path, plain_settings(),
                      [&](const std::string& message) { messages.push_back(message); });
  REQUIRE(!messages.empty());
  CHECK(messages.front().find("saved mirror: read") != std::string::npos);
  check_as_if_opened_now(engine, {"d4", "d7"});
}

TEST_CASE("a refresh that fails does not lose what this process wrote") {
  const TemporaryDirectory directory;
  ToldEngine told(small_index(directory, GENERATE(1, 3)));
  write(told.engine, {record("x1", "cat purrs", {}), record("d4", "bank", {})});
  const std::string tuning = tuning_path(told.engine.path());
  std::ofstream(tuning) << "no tuning";
  CHECK_THROWS_AS(told.refresh(), Error);
  std::filesystem::remove(tuning);
  told.refresh();
  check_as_if_opened_now(told.engine, {"x1", "d4", "d7"});
}

TEST_CASE("own commits are found where they lead on from a revision, and forgotten behind it") {
  OwnWrites own;
  const auto commit = [&](std::uint64_t from, std::uint64_t to) {
    own.commit([&] { return commits_of("u", from, to); });
  };
  const auto between = [&](std::uint64_t from, std::uint64_t to, const std::string& uuid = "u") {
    const auto found = own.between({{uuid, from}}, {{uuid, to}});
    return found ? found->at(0).size() : 0;
  };
  CHECK(between(1, 2) == 0);
  commit(1, 2);
  commit(2, 5);
  CHECK(own.has_after({{"u", 1}}));
  CHECK_FALSE(own.has_after({{"u", 5}}));
  CHECK_FALSE(own.has_after({{"other", 1}}));
  CHECK(between(1, 5) == 2);
  CHECK(between(2, 5) == 1);
  CHECK(between(1, 5) == 0);  // its first step was forgotten
  CHECK(between(3, 5) == 1);  // Xapian committed by itself meanwhile
  CHECK(between(3, 4) == 0);
  commit(6, 7);
  CHECK(between(2, 7) == 0);  // 5 to 6 was somebody else's
  CHECK(between(6, 7, "other") == 0);
  CHECK(between(6, 7) == 0);
}

TEST_CASE("own commits to shards are found if they lead on from the revision of each") {
  OwnWrites own;
  const auto commit = [&](const std::string& uuid, std::uint64_t from, std::uint64_t to) {
    own.commit([&] { return commits_of(uuid, from, to); });
  };
  commit("u", 1, 2);
  commit("v", 7, 9);
  commit("u", 2, 3);
  const auto found = own.between({{"u", 1}, {"v", 7}, {"w", 4}}, {{"u", 3}, {"v", 9}, {"w", 4}});
  REQUIRE(found);
  CHECK(found->at(0).size() == 2);
  CHECK(found->at(1).size() == 1);
  CHECK(found->at(2).empty());
  CHECK_FALSE(own.between({{"u", 1}, {"v", 6}}, {{"u", 3}, {"v", 9}}));
  CHECK_FALSE(own.between({{"u", 1}, {"v", 7}}, {{"v", 9}, {"u", 3}}));
  own.forget({{"u", 2}, {"v", 9}});
  CHECK_FALSE(own.has_after({{"v", 0}}));
  CHECK(own.between({{"u", 2}}, {{"u", 3}}));
}

TEST_CASE("what own commits hold in memory is bounded, and is freed when a mirror has it") {
  OwnWrites own;
  own.commit([] { return commits_of("u", 1, 2); });
  own.forget({{"u", 2}});
  CHECK_FALSE(own.between({{"u", 1}}, {{"u", 2}}));
  for (std::uint64_t i = 1; i <= 5; ++i)
    own.commit([&] { return commits_of("u", i, i + 1, OwnWrites::kMostBytes / 2); });
  CHECK_FALSE(own.between({{"u", 3}}, {{"u", 6}}));
  CHECK(own.between({{"u", 4}}, {{"u", 6}})->at(0).size() == 2);
}

TEST_CASE("a commit that fails hands nothing over") {
  OwnWrites own;
  CHECK_THROWS_AS(own.commit([]() -> OwnWrites::Commits { throw std::runtime_error("full"); }),
                  std::runtime_error);
  CHECK_FALSE(own.has_after({{"u", 0}}));
  CHECK_FALSE(own.between({{"u", 1}}, {{"u", 2}}));  // and nobody waits for it
}
