// What followed the changes of an index equals what is made of it anew.
#include <xapian.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "config/error.h"
#include "plugin/ask/ask.h"
#include "plugin/engine.h"
#include "plugin/learning.h"
#include "plugin/topics/topic_map_file.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"
#include "tests/plugin/snapshot/changing_database.h"

using namespace kindred;
using test::ChangingDatabase;
using test::TemporaryDirectory;
using test::TemporaryPath;

namespace {

/// An index that changes at random: a database, or a stub that lists several shards.
class ChangingIndex {
 public:
  explicit ChangingIndex(unsigned shards) {
    for (unsigned i = 0; i < shards; ++i)
      shards_.push_back(std::make_unique<ChangingDatabase>(path_of(i), 21 + i));

    std::ofstream stub(directory_ / "stub");
    for (unsigned i = 0; i < shards; ++i) stub << "auto " << i << "\n";
  }

  std::string path() const { return shards_.size() == 1 ? path_of(0) : directory_ / "stub"; }
  ChangingDatabase& shard(std::size_t i) { return *shards_[i]; }

  /// As Xapian numbers them, in turn.
  std::vector<Xapian::docid> documents() const {
    const auto shards = static_cast<Xapian::docid>(shards_.size());
    std::vector<Xapian::docid> all;
    for (Xapian::docid i = 0; i < shards; ++i)
      for (const Xapian::docid own : shards_[i]->documents())
        all.push_back((own - 1) * shards + i + 1);
    return all;
  }

  /// What Xapian says of each shard.
  std::vector<ShardRevision> revisions() const {
    std::vector<ShardRevision> all;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      const Xapian::Database database(path_of(i));
      all.push_back({database.get_uuid(), database.get_revision()});
    }
    return all;
  }

 private:
  std::string path_of(std::size_t i) const { return directory_ / std::to_string(i); }

  TemporaryDirectory directory_;
  std::vector<std::unique_ptr<ChangingDatabase>> shards_;
};

/// An engine that is refreshed, and what its log said last about a refresh.
struct FollowingEngine {
  explicit FollowingEngine(const std::string& path)
      : engine(path, kindred::test::on_cpu(2), [this](const std::string& message) {
          for (const char* part : {"documents that may have changed", "are read again"})
            if (message.find(part) != std::string::npos) said = message;
        }) {}

  bool refresh() {
    said.clear();
    return engine.refresh();
  }
  bool has_followed() const { return said.find("may have changed") != std::string::npos; }

  std::string said;
  Engine engine;
};

/// An answer without the time that it took, and without sizes in memory.
std::string answer_of(Engine& engine, const std::string& path, const std::string& question,
                      const nlohmann::json& request = nlohmann::json::object()) {
  auto answer = nlohmann::json::parse(
      ask({path, kindred::test::on_cpu(2), [&]() -> Engine& { return engine; }}, question,
          request.dump()));
  for (const char* key : {"seconds", "bytes"}) answer.erase(key);
  return answer.dump();
}

/// Which revision, of which shards, an answer says that it is from.
nlohmann::json origin_of(const std::string& answer) {
  const auto json = nlohmann::json::parse(answer);
  return {json.value("revision", nlohmann::json()), json.value("shards", nlohmann::json())};
}

/// Two engines say the same of a document.
void check_same(Engine& engine, Engine& fresh, Xapian::docid docid) {
  const nlohmann::json example = {{"docid", docid}};
  const nlohmann::json like = {{"like", {example}}, {"limit", 50}, {"explain", true}};
  CHECK(answer_of(engine, "", "related", like) == answer_of(fresh, "", "related", like));
  if (fresh.status().labeled == 0) return;
  const nlohmann::json tags = {{"example", example}, {"explain", true}};
  CHECK(answer_of(engine, "", "classify", tags) == answer_of(fresh, "", "classify", tags));
}

/// Settings by which an engine reads all of the index: no mirror is saved there.
Settings without_saved_mirror() {
  Settings settings = kindred::test::on_cpu(2);
  settings.mirror.directory = "/nonexistent";
  return settings;
}

/// Every answer of `engine` is that of an engine that was opened just now.
void check_as_if_opened_now(Engine& engine, const std::string& path,
                            const std::vector<Xapian::docid>& docids) {
  Engine fresh(path, without_saved_mirror());
  CHECK(answer_of(engine, path, "status") == answer_of(fresh, path, "status"));
  CHECK(engine.status().revision == fresh.status().revision);
  CHECK(engine.labels() == fresh.labels());
  for (std::size_t i = 0; i < docids.size(); i += docids.size() / 10 + 1)
    check_same(engine, fresh, docids[i]);

  if (docids.empty() || fresh.status().labeled == 0) return;
  const nlohmann::json origin = origin_of(answer_of(engine, path, "status"));
  const nlohmann::json example = {{"docid", docids.front()}};
  CHECK(origin_of(answer_of(engine, path, "related", {{"like", {example}}})) == origin);
  CHECK(origin_of(answer_of(engine, path, "classify", {{"example", example}})) == origin);
}

/// The engine is at the revisions that Xapian says of each shard, and says so.
void check_revisions(const Engine& engine, const std::vector<ShardRevision>& shards) {
  const api::StatusAnswer status = engine.status();
  if (shards.size() == 1) {
    CHECK_FALSE(status.shards);
    CHECK(status.revision == shards[0].revision);
  } else {
    REQUIRE(status.shards);
    CHECK(*status.shards == shards);
    CHECK(status.revision == 0);
  }
}

/// Tunes, makes a map and asks what looks at all documents: the answers without their times, the
/// tuning and the name of the map.
std::vector<std::string> looked_at(Engine& engine, const std::string& path) {
  std::vector<std::string> answers;
  for (const char* question : {"geometry", "suspects", "duplicates", "evaluate"})
    answers.push_back(answer_of(engine, path, question));
  answers.push_back(answer_of(engine, path, "candidates", {{"label", "k3"}, {"explain", true}}));
  answers.push_back(answer_of(engine, path, "tag", {{"dry_run", true}}));
  for (const std::string& answer : answers)
    CHECK(origin_of(answer) == origin_of(answer_of(engine, path, "status")));

  kindred::TrainTopicsRequest map;
  map.rows = map.columns = 4;
  kindred::TopicMap topics = *train_topics(engine, map);
  topics.origin.seconds = 0;
  answers.push_back(topic_map_name(topics));

  // Beside the index, which stays as it is.
  const std::string other = path + ".tuned";
  write_tuning(other, tune(engine, {}).tuning);
  answers.push_back(test::file_text(tuning_path(other)));
  return answers;
}

}  // namespace

TEST_CASE("what followed any history of an index equals what is made of it anew", "[slow]") {
  const unsigned shards = GENERATE(1u, 3u);
  const bool is_tuned = GENERATE(false, true);
  CAPTURE(shards, is_tuned);
  ChangingIndex index(shards);
  for (unsigned i = 0; i < shards; ++i) index.shard(i).change(static_cast<int>(600 / shards));
  if (is_tuned)
    write_tuning(index.path(), tune(Engine(index.path(), kindred::test::untuned()), {}).tuning);

  FollowingEngine following(index.path());
  for (unsigned step = 0; step < 8; ++step) {
    CAPTURE(step);
    const nlohmann::json question = {{"like", {{{"docid", index.documents().front()}}}}};
    const std::string before = answer_of(following.engine, "", "related", question);

    // Of four commits one changes no document. Answers move with the refresh, and not before.
    ChangingDatabase& shard = index.shard(step % shards);
    if (step % 4 == 3) {
      shard.commit_nothing();
    } else {
      shard.change(30);
    }
    CHECK(answer_of(following.engine, "", "related", question) == before);

    REQUIRE(following.refresh());
    CHECK(following.has_followed());
    check_revisions(following.engine, index.revisions());
    check_as_if_opened_now(following.engine, index.path(), index.documents());
    CHECK_FALSE(following.refresh());

    // An engine that begins with a saved mirror follows from there.
    if (step % 4 == 1) following.engine.save_mirror();
    if (step % 4 == 2) {
      FollowingEngine resumed(index.path());
      CHECK(resumed.has_followed());
      check_revisions(resumed.engine, index.revisions());
      check_as_if_opened_now(resumed.engine, index.path(), index.documents());
    }
  }

  if (is_tuned) return;
  Engine fresh(index.path(), without_saved_mirror());
  const std::vector<std::string> found = looked_at(following.engine, index.path());
  const std::vector<std::string> expected = looked_at(fresh, index.path());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == expected[i]);
  }
}

TEST_CASE("shards that the caller has opened do not tell their revisions") {
  ChangingIndex index(3);
  for (std::size_t i = 0; i < 3; ++i) index.shard(i).change(30);
  const Engine engine(Xapian::Database(index.path()), kindred::test::on_cpu(1));
  std::vector<ShardRevision> expected = index.revisions();
  for (ShardRevision& shard : expected) shard.revision = 0;
  CHECK(*engine.status().shards == expected);
}

TEST_CASE("a tuned index gives a label that came later, in words that came later") {
  const test::TopicalCollection collection(100);
  write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), {}).tuning);
  Engine engine(collection.path, test::on_cpu(2));
  std::vector<Record> later;
  for (int i = 0; i < 8; ++i)
    later.push_back(test::record("later" + std::to_string(i),
                                 "lunar orbit rocket word" + std::to_string(i), {"space"}));
  test::write(collection.path, later);
  REQUIRE(engine.refresh());
  const Classification answer = engine.classify(test::record("", "a rocket in lunar orbit"));
  REQUIRE(answer.best);
  CHECK(answer.best->label == "space");
}

TEST_CASE_METHOD(
    TemporaryPath,
    "an index that loses its last document is followed, one with its first stem read again") {
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
  const auto write = [&](Xapian::docid docid, const char* term) {
    Xapian::Document document;
    document.add_term(term);
    database.replace_document(docid, document);
    database.commit();
  };
  write(1, "word");
  FollowingEngine following(path);
  database.delete_document(1);
  database.commit();
  REQUIRE(following.refresh());
  CHECK(following.has_followed());
  check_as_if_opened_now(following.engine, path, {});
  write(2, "Zword");
  REQUIRE(following.refresh());
  CHECK_FALSE(following.has_followed());
  check_as_if_opened_now(following.engine, path, {2});
}

TEST_CASE("a stub that lists other shards by now, or what is no folder, is read as a whole") {
  const TemporaryDirectory directory;
  ChangingDatabase one(directory / "one", 18), two(directory / "two", 19);
  one.change(30);
  two.change(30);
  const std::string path = directory / "stub";
  std::ofstream(path) << "auto one\n";
  FollowingEngine following(path);
  one.change(3);
  std::ofstream(path) << "auto two\n";
  const FollowingEngine fresh(path);
  CHECK(fresh.engine.status().documents == two.documents().size());
  std::ofstream(path) << "inmemory\nauto one\n";
  FollowingEngine mixed(path);
  one.change(1);
  mixed.refresh();
  CHECK_FALSE(mixed.has_followed());
}

TEST_CASE("a database that does not tell what changed is followed by what its writer says") {
  const Settings settings = kindred::test::on_cpu(2);
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  const auto document = [](int i) {
    Xapian::Document result;
    for (int t = 0; t < 8; ++t) result.add_term("Zt" + std::to_string((i * 7 + t * t) % 40));
    result.add_boolean_term("Kk" + std::to_string(i % 3));
    result.add_boolean_term("Q" + std::to_string(i));
    return result;
  };
  std::vector<Xapian::docid> documents;
  for (int i = 1; i <= 60; ++i) documents.push_back(database.add_document(document(i)));
  Engine engine(database, settings);
  const auto check = [&] {
    Engine fresh(database, settings);
    CHECK(engine.status().documents == fresh.status().documents);
    CHECK(engine.status().nonzeros == fresh.status().nonzeros);
    for (const Xapian::docid docid : documents) check_same(engine, fresh, docid);
  };
  database.replace_document(5, document(105));
  database.delete_document(documents.back());
  documents.pop_back();
  documents.push_back(database.add_document(document(200)));
  const std::vector<Xapian::docid> changed = {61, 5, 60, 5};
  CHECK(engine.refresh(changed));
  check();
  documents.push_back(database.add_document(document(300)));  // which nobody names
  database.replace_document(7, document(107));
  CHECK(engine.refresh(std::vector<Xapian::docid>{7}));
  check();
}

TEST_CASE("a save writes what is new, mends what is damaged, and removes the rest") {
  const TemporaryDirectory directory;
  const std::string path = directory / "db", saved = path + "/kindred.mirror/";
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
  const auto put = [&](Xapian::docid first, Xapian::docid last, unsigned shift) {
    for (Xapian::docid docid = first; docid <= last; ++docid) {
      Xapian::Document document;
      for (unsigned i = 0; i < 5; ++i)
        document.add_term("Zt" + std::to_string((docid + shift + i) % 90));
      database.replace_document(docid, document);
    }
    database.commit();
  };
  put(1, 5000, 0);  // more than a segment that is joined to what comes later
  Engine engine(path, kindred::test::on_cpu(2));
  engine.save_mirror();
  const auto files = [&] {
    std::map<std::string, std::filesystem::file_time_type> times;
    for (const auto& entry : std::filesystem::directory_iterator(saved))
      times[entry.path().filename().string()] = entry.last_write_time();
    return times;
  };
  const auto first = files();
  REQUIRE(first.size() == 3);  // a segment, the terms, the list
  std::ofstream(saved + "0123456789abcdef") << "of a save that was killed";
  put(11, 30, 7);
  engine.refresh();
  engine.save_mirror();
  std::size_t kept = 0;
  for (const auto& [name, time] : files()) kept += first.count(name) == 1 && first.at(name) == time;
  CHECK(kept == 2);
  CHECK(files().size() == 4);  // a segment more
  for (const auto& [name, time] : files()) {
    if (name == "list") continue;
    std::filesystem::resize_file(saved + name, std::filesystem::file_size(saved + name) - 1);
    CHECK_FALSE(FollowingEngine(path).has_followed());
    engine.save_mirror();
    CHECK(FollowingEngine(path).has_followed());
  }
  FollowingEngine opened(path);
  check_as_if_opened_now(opened.engine, path, {1, 11, 30, 5000});
}

TEST_CASE("a saved mirror of another database or of other settings is not used") {
  const TemporaryDirectory directory;
  const std::string path = directory / "db", file = path + "/kindred.mirror";
  {
    ChangingDatabase changing(path, 17);
    changing.change(300);
  }
  Engine(path, kindred::test::on_cpu(2)).save_mirror();
  const std::uint64_t documents = Engine(path, kindred::test::on_cpu(2)).status().documents;
  Settings others = kindred::test::on_cpu(2);
  others.labels.prefix = "XTAG";
  std::string said;
  const Engine engine(path, others, [&](const std::string& message) { said += message + "\n"; });
  CHECK(engine.status().documents == documents);
  CHECK(said.find("may have changed") == std::string::npos);
  CHECK(said.find(file) != std::string::npos);
  {
    Xapian::WritableDatabase other(directory / "other", Xapian::DB_CREATE);
    other.commit();
  }
  std::filesystem::copy(file, directory / "other/kindred.mirror");
  CHECK(Engine(directory / "other", kindred::test::on_cpu(2)).status().documents == 0);
}

TEST_CASE("a saved mirror is not used for a backup of the database that was changed otherwise") {
  const TemporaryDirectory directory;
  const std::string path = directory / "db", backup = directory / "backup";
  ChangingDatabase(path, 18).change(400);
  std::filesystem::copy(path, backup, std::filesystem::copy_options::recursive);
  const char* const differs = GENERATE("Zthere", "Kthere", "XAUTOthere", "XNOTAG");
  const auto write = [](const std::string& database, const char* term) {
    Xapian::WritableDatabase writable(database, Xapian::DB_OPEN);
    for (auto it = writable.postlist_begin(""); it != writable.postlist_end(""); ++it) {
      Xapian::Document document = writable.get_document(*it);
      document.add_term(term);
      writable.replace_document(*it, document);
    }
    writable.commit();
  };
  write(path, "XIGNORED");  // a term that no mirror holds
  Engine(path, kindred::test::on_cpu(2)).save_mirror();
  write(backup, differs);
  // restored in place: the files keep their inodes, and the revision is the same
  for (const auto& entry : std::filesystem::directory_iterator(backup)) {
    const std::string bytes = kindred::test::file_text(entry.path().string());
    std::ofstream(path + "/" + entry.path().filename().string(), std::ios::binary) << bytes;
  }
  FollowingEngine opened(path);
  CHECK_FALSE(opened.has_followed());
  std::filesystem::remove_all(path + "/kindred.mirror");
  check_as_if_opened_now(opened.engine, path, {*Xapian::Database(path).postlist_begin("")});
}

TEST_CASE_METHOD(TemporaryPath,
                 "an open engine sees a backup that came back between commits of others") {
  ChangingDatabase(path, 19).change(300);
  const std::string backup = path + ".backup";
  std::filesystem::copy(path, backup, std::filesystem::copy_options::recursive);
  const auto write = [&](const char* term, int commits) {
    Xapian::WritableDatabase writable(path, Xapian::DB_OPEN);
    for (int i = 0; i < commits; ++i) {
      const Xapian::docid docid = *writable.postlist_begin("");
      Xapian::Document document = writable.get_document(docid);
      document.add_term(term + std::to_string(i));
      writable.replace_document(docid, document);
      writable.commit();
    }
  };
  write("Zone", 2);
  FollowingEngine following(path);
  write("Zunseen", 2);  // after this the engine's header is a file that nobody writes to

  for (const auto& entry : std::filesystem::directory_iterator(backup)) {
    const std::string bytes = kindred::test::file_text(entry.path().string());
    std::ofstream(path + "/" + entry.path().filename().string(), std::ios::binary) << bytes;
  }
  write("Zother", 6);  // beyond the revision that the engine knows
  REQUIRE(following.refresh());
  CHECK_FALSE(following.has_followed());
  check_as_if_opened_now(following.engine, path, {*Xapian::Database(path).postlist_begin("")});

  write("Zlater", 1);
  REQUIRE(following.refresh());
  CHECK(following.has_followed());
}
