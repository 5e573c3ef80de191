// What lands in the database: terms, data, tags; and what happens when tagging cannot work.
#include "plugin/writing/ingest.h"

#include <xapian.h>
#include <nlohmann/json.hpp>

#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::document;
using test::record;
using test::Terms;
using test::terms_with;

namespace {

unsigned wdf(const Xapian::Document& doc, const std::string& term) {
  auto it = doc.termlist_begin();
  it.skip_to(term);
  return it != doc.termlist_end() && *it == term ? it.get_wdf() : 0;
}

}  // namespace

TEST_CASE("counts as large as may be are kept, and a new version takes their place") {
  test::TemporaryDirectory directory;
  Record r = record("v1", "", {});
  r.terms = TermBag{{"x", 65535}, {"x", 65535}, {"y", 1}};  // by code, a term may come twice
  test::write(directory / "db", {r});
  Record wrong = r;
  wrong.terms = TermBag{{"x", 4294967295u}};
  CHECK_THROWS_AS(test::write(directory / "db", {wrong}), Error);
  {
    const Xapian::Database database(directory / "db");
    CHECK(database.get_termfreq("Zx") == 1);
    CHECK(wdf(document(database, "v1"), "Zx") == 131070);
    CHECK(database.get_doclength(1) == 131071);
  }
  r.terms = TermBag{{"z", 1}};
  test::write(directory / "db", {r});
  const Xapian::Database database(directory / "db");
  CHECK(database.get_doccount() == 1);
  CHECK(database.get_termfreq("Zx") == 0);
  CHECK(database.get_termfreq("Zz") == 1);
}

TEST_CASE("a record becomes the document that TermGenerator would have made, and more") {
  test::TemporaryDirectory directory;
  Record r = record("doc/1", "The Cats sat; cats sit.", {"Pets", "sitting"});
  r.title = "Cats";
  r.language = "en";
  r.fields["url"] = "https://example.org/1";
  Settings settings;
  settings.labels.prefix = "XT";
  test::write(directory / "db", {r}, settings);
  const Xapian::Database database(directory / "db");
  const Xapian::Document doc = document(database, "doc/1");
  CHECK(wdf(doc, "cats") == 3 + 2);
  CHECK(wdf(doc, "Zcat") == 3 + 2);
  CHECK(wdf(doc, "Scats") == 3);
  CHECK(wdf(doc, "ZScat") == 3);
  CHECK(wdf(doc, "the") == 1);  // a stop word can be searched for
  CHECK(terms_with(doc, "Zthe").empty());
  CHECK(terms_with(doc, "XT") == Terms{"XT:Pets", "XTsitting"});
  CHECK(terms_with(doc, "L") == Terms{"Len"});
  CHECK(doc.get_data().find("url=https://example.org/1") != std::string::npos);
  CHECK(database.has_positions());
  Xapian::Enquire enquire(database);
  const Terms phrase = {"cats", "sat"};
  enquire.set_query(Xapian::Query(Xapian::Query::OP_PHRASE, phrase.begin(), phrase.end()));
  CHECK(enquire.get_mset(0, 1).size() == 1);
}

TEST_CASE("unlabeled documents get tags of their own kind, labeled ones none") {
  test::TemporaryDirectory directory;
  test::write(directory / "db", test::small_collection());
  Ingest ingest(directory / "db", {});
  ingest.add(record("new1", "my cat purrs and sleeps"));
  ingest.add(record("new2", "dog", {"pets"}));
  ingest.commit();
  CHECK(ingest.report().tagged == 1);
  CHECK(ingest.report().pending == 0);
  const Xapian::Database database(directory / "db");
  const Xapian::Document tagged = document(database, "new1");
  CHECK(terms_with(tagged, "K").empty());
  CHECK(terms_with(tagged, "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  const auto slot = nlohmann::json::parse(tagged.get_value(7001));
  CHECK(slot["revision"] == 1);
  REQUIRE(slot["tags"].size() == 2);
  CHECK(slot["tags"][0]["label"] == "animals");
  CHECK(slot["tags"][0]["confidence"].get<double>() > 0.35);
  CHECK(document(database, "new2").get_value(7001).empty());

  // Predicted tags do not vote.
  const Engine engine(directory / "db", {});
  CHECK(engine.status().labeled == 7);
}

TEST_CASE("a record may bring its predicted tags, which people overrule") {
  const test::Collection collection;
  Record kept = record("kept", "my cat purrs");
  kept.predicted = {{"finance", 0.75}};
  Record rejected = kept;
  rejected.id = "rejected";
  rejected.rejected_labels = {"finance"};
  Record labeled = record("labeled", kept.text, {"pets"});
  labeled.predicted = kept.predicted;
  test::ingest(collection.path, {kept, rejected, labeled});
  const Xapian::Database database(collection.path);
  const auto slot = nlohmann::json::parse(document(database, "kept").get_value(7001));
  CHECK(slot["tags"][0]["confidence"] == 0.75);
  CHECK(terms_with(document(database, "kept"), "XAUTO") == Terms{"XAUTOfinance"});
  for (const char* id : {"rejected", "labeled"})
    CHECK(terms_with(document(database, id), "XAUTO").empty());
}

TEST_CASE("the labels of a first batch vote in it") {
  test::TemporaryDirectory directory;
  Ingest ingest(directory / "db", {});
  ingest.add(record("new", "my cat purrs and sleeps"));
  for (const Record& r : test::small_collection()) ingest.add(r);
  ingest.commit();
  const Xapian::Database database(directory / "db");
  CHECK(terms_with(document(database, "new"), "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  CHECK(ingest.report().added == 8);
}

TEST_CASE("a document is tagged by the one that was committed before it") {
  test::TemporaryDirectory directory;
  Settings settings;
  settings.classify.neighbors = 1;
  {
    Ingest ingest(directory / "db", settings);
    for (int i = 0; i < 100; ++i) {
      const std::string word = "word" + std::to_string(i);
      ingest.add(record("old" + std::to_string(i), word + " often seen", {i % 2 ? "odd" : "even"}));
    }
    ingest.commit();
    ingest.add(record("first", "comet tail perihelion", {"odd"}));
    ingest.commit();
    ingest.add(record("second", "a comet with a long tail near its perihelion", {}));
    ingest.commit();
    CHECK(ingest.report().tagged == 1);
  }
  const Xapian::Database database(directory / "db");
  CHECK(terms_with(document(database, "second"), "XAUTO") == Terms{"XAUTOodd"});
}

TEST_CASE("a label given to an id that came before in the same batch is kept") {
  test::TemporaryDirectory directory;
  Ingest ingest(directory / "db", {});
  ingest.add(record("x", "first words"));
  ingest.add(record("x", "last words", {"final"}));
  ingest.commit();
  const Xapian::Database database(directory / "db");
  CHECK(terms_with(document(database, "x"), "K") == Terms{"Kfinal"});
  CHECK(ingest.report().added == 1);
  CHECK(ingest.report().replaced == 1);
}

TEST_CASE("commits come by the batch, and are reported when they are on disk and unlocked") {
  test::TemporaryDirectory directory;
  Settings settings;
  settings.index.batch = 512;
  std::vector<std::uint64_t> reported;
  IngestOptions options;
  options.on_commit = [&](const IngestReport& report) {
    reported.push_back(report.added);
    Xapian::WritableDatabase other(directory / "db", Xapian::DB_OPEN);
    CHECK(other.get_doccount() == report.added);
  };
  options.tag = false;
  Ingest ingest(directory / "db", settings, options);
  for (int i = 0; i < 1100; ++i) ingest.add(record(std::to_string(i), "word" + std::to_string(i)));
  ingest.commit();
  CHECK(reported == std::vector<std::uint64_t>{512, 1024, 1100});
}

TEST_CASE("an engine and its ingest share one mirror, which grows with the labels") {
  test::TemporaryDirectory directory;
  test::write(directory / "db", {record("a", "cat", {"pets"}), record("b", "tax", {"finance"})});
  Engine engine(directory / "db", {});
  Ingest ingest(engine);
  for (int i = 0; i < 4; ++i) {
    ingest.add(record("p" + std::to_string(i), "parrot talks", {"birds"}));
  }
  ingest.add(record("q", "a parrot"));
  ingest.commit();
  ingest.add(record("r", "a parrot"));
  ingest.commit();
  CHECK(engine.status().labeled == 6);
  const Xapian::Database database(directory / "db");
  CHECK(terms_with(document(database, "r"), "XAUTO") == Terms{"XAUTObirds"});
}

TEST_CASE("a record without an id gets one of its origin if it is asked for, and is counted") {
  test::TemporaryDirectory directory;
  const std::string moon = R"({"text": "moon", "note": "x"})";
  Settings settings;
  {
    IngestOptions options;
    options.tag = false;
    options.ids_by_origin = true;
    Ingest ingest(directory / "db", settings, options);
    ingest.add_json(moon, {"below/a.csv", 2});
    ingest.add_json(R"({"id": "own", "title": "t", "labels": ["l"]})", {"a.csv", 3});
    ingest.add_json(moon);  // of no file
    ingest.commit();
    const IngestReport report = ingest.report();
    CHECK(report.added == 2);
    CHECK(report.failed == 1);
    CHECK(report.named == 1);
    CHECK(report.unlabeled == 1);
    CHECK(report.unread_keys == std::map<std::string, std::uint64_t>{{"note", 1}});
  }
  const Xapian::Database database(directory / "db");
  CHECK(database.term_exists("Qa.csv:2"));
  CHECK(database.term_exists("Qown"));

  Ingest strict(directory / "db", settings);
  strict.add_json(moon, {"a.csv", 2});
  strict.commit();
  CHECK(strict.report().failed == 1);
}
