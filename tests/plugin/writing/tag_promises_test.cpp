// What is promised of tags in an index: those that people took off stay off, guesses do not feed on
// guesses, one can tell who gave a tag, labels and documents can be left out, and only what changes
// is written.
#include <xapian.h>

#include "plugin/writing/tagging.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::change_term;
using test::edit_tags;
using test::ingest;
using test::record;
using test::Terms;
using test::terms_on_disk;

namespace {

using Labels = std::vector<std::string>;

const char* const kCatText = "my cat purrs and sleeps";

TagReport tag_all(const std::string& path, const Settings& settings = {}) {
  Engine engine(path, settings);
  return tag_documents(engine, {});
}

Labels labels_of(const Classification& classification) {
  Labels labels;
  for (const Tag& tag : classification.tags) labels.push_back(tag.label);
  return labels;
}

/// Does to a document what `notmuch reindex` does: rewrites all terms except the tags of people,
/// and keeps the values.
void write_anew(const std::string& path, const std::string& id) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  const Xapian::docid docid = test::docid_of(database, id);
  Xapian::Document document = database.get_document(docid);
  for (const std::string& term : test::terms_with(document, "X")) document.remove_term(term);
  database.replace_document(docid, document);
  database.commit();
}

std::string slot_of(const std::string& path, const std::string& id) {
  return test::document(Xapian::Database(path), id).get_value(7001);
}

}  // namespace

TEST_CASE("what another program drops by rewriting a document was not taken off by people") {
  const test::Tagged collection;
  CHECK(terms_on_disk(collection.path, "new", "XTAGGED") == Terms{"XTAGGED"});
  tag_all(collection.path);
  const std::string slot = slot_of(collection.path, "new");
  write_anew(collection.path, "new");
  CHECK(collection.terms("XAUTO").empty());
  SECTION("a tagging run gives it again") {
    const TagReport report = tag_all(collection.path);
    CHECK(report.rejected == 0);
    CHECK(report.given == 2);
    CHECK(report.written == 1);
    CHECK(slot_of(collection.path, "new") == slot);
  }
  SECTION("it is suggested as before") {
    const Engine engine(collection.path, {});
    CHECK(labels_of(engine.classify(UniqueId{"new"})) == Labels{"animals", "pets"});
    tag_all(collection.path);
  }
  SECTION("a new version gets it again") { ingest(collection.path, {record("new", kCatText)}); }
  SECTION("a new version that is written without tagging waits for it") {
    test::write(collection.path, {record("new", kCatText)});
    CHECK(terms_on_disk(collection.path, "new", "XUNTAGGED").size() == 1);
    tag_all(collection.path);
  }
  SECTION("an edit rejects only what it says") {
    CHECK(
        edit_tags(collection.path, {}, {"new"}, {.reject = {"other"}}).documents.front().rejected ==
        Labels{"other"});
    CHECK(terms_on_disk(collection.path, "new", "XUNTAGGED").size() == 1);
    edit_tags(collection.path, {}, {"new"}, {.undo = {"other"}});
    tag_all(collection.path);
  }
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  CHECK(collection.terms("XNOT").empty());
  CHECK(terms_on_disk(collection.path, "new", "XTAGGED") == Terms{"XTAGGED"});
  CHECK(terms_on_disk(collection.path, "new", "XUNTAGGED").empty());
  CHECK(tag_all(collection.path).written == 0);
  change_term(collection.path, "new", "XAUTOpets");  // with its witness people speak again
  CHECK(tag_all(collection.path).rejected == 1);
}

TEST_CASE("what people refused outlives a program that rewrites the document") {
  const test::Tagged collection;
  const auto refused = [&] { return collection.terms("XNOT") == Terms{"XNOTpets"}; };
  SECTION("by taking a tag off") {
    change_term(collection.path, "new", "XAUTOpets");
    tag_all(collection.path);
  }
  SECTION("by an edit") { edit_tags(collection.path, {}, {"new"}, {.reject = {"pets"}}); }
  SECTION("by a record") {
    Record record = test::record("new", kCatText);
    record.rejected_labels = {"pets"};
    ingest(collection.path, {record});
  }
  REQUIRE(refused());
  write_anew(collection.path, "new");
  CHECK(labels_of(Engine(collection.path, {}).classify(UniqueId{"new"})) == Labels{"animals"});
  const TagReport report = tag_all(collection.path);
  CHECK(report.rejected == 0);
  CHECK(report.given == 1);
  CHECK(refused());
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
  CHECK(tag_all(collection.path).written == 0);
  edit_tags(collection.path, {}, {"new"}, {.undo = {"pets"}});
  write_anew(collection.path, "new");
  tag_all(collection.path);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  CHECK(collection.terms("XNOT").empty());
}

TEST_CASE("that a document opted out outlives a program that rewrites it") {
  const test::Tagged collection;
  SECTION("by an edit") { edit_tags(collection.path, {}, {"new"}, {.auto_tag = false}); }
  SECTION("by a record") {
    ingest(collection.path, {parse_record(R"({"id": "new", "text": "cat", "auto_tag": false})")});
  }
  for (int i = 0; i < 2; ++i) {
    write_anew(collection.path, "new");
    CHECK(tag_all(collection.path).opted_out == 1);
    CHECK(collection.terms("XAUTO").empty());
    CHECK(terms_on_disk(collection.path, "new", "XNOTAG") == Terms{"XNOTAG"});
  }
  edit_tags(collection.path, {}, {"new"}, {.auto_tag = true});
  CHECK(terms_on_disk(collection.path, "new", "XTAGGED").empty());  // nothing to remember
  CHECK(slot_of(collection.path, "new").empty());
  CHECK(tag_all(collection.path).given == 2);
}

TEST_CASE("refusals of many documents end at once") {
  const test::Tagged collection;
  ingest(collection.path, {record("other", kCatText)});
  edit_tags(collection.path, {}, {"new"}, {.reject = {"pets", "never given"}});
  change_term(collection.path, "other", "XAUTOanimals");  // found by the run only
  edit_tags(collection.path, {}, {"cat1"}, {.auto_tag = false});
  Settings settings;
  settings.index.batch = 1;
  TagRequest request;
  request.query = "purrs";
  request.allow_all = true;
  request.dry_run = true;
  Engine engine(collection.path, settings);
  const TagReport dry = tag_documents(engine, request);
  CHECK(dry.allowed == 3);
  CHECK(dry.rejected == 0);
  CHECK(dry.given == 2);
  CHECK(collection.terms("XNOT").size() == 2);
  request.dry_run = false;
  const TagReport report = tag_documents(engine, request);
  CHECK(report.allowed == 3);
  CHECK(report.given == 2);
  for (const char* id : {"new", "other"}) {
    CHECK(terms_on_disk(collection.path, id, "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
    CHECK(terms_on_disk(collection.path, id, "XNOT").empty());
  }
  CHECK(Engine(collection.path, {}).status().opted_out == 1);
  CHECK(tag_documents(engine, request).allowed == 0);
  CHECK(tag_all(collection.path).rejected == 0);
}

TEST_CASE("a tag that another program took off does not come back by tagging") {
  const test::Tagged collection;
  change_term(collection.path, "new", "XAUTOpets");
  const TagReport report = tag_all(collection.path);
  CHECK(report.rejected == 1);
  CHECK(report.given == 0);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
  CHECK(collection.terms("XNOT") == Terms{"XNOTpets"});
  CHECK(tag_all(collection.path).written == 0);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
}

TEST_CASE("a tag that was taken off does not come back with a new version") {
  const test::Tagged collection;
  change_term(collection.path, "new", "XAUTOpets");
  for (const char* text : {kCatText, "a sleeping cat purrs when it is stroked"}) {
    ingest(collection.path, {record("new", text)});
    CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
    CHECK(collection.terms("XNOT") == Terms{"XNOTpets"});
  }
  test::write(collection.path, {record("new", kCatText)});  // without tagging
  CHECK(collection.terms("XNOT") == Terms{"XNOTpets"});
  tag_all(collection.path);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
}

TEST_CASE("a tag that was taken off is not suggested either") {
  const test::Tagged collection;
  change_term(collection.path, "new", "XAUTOpets");
  const Engine engine(collection.path, {});
  const Classification stored = engine.classify(UniqueId{"new"});
  CHECK(labels_of(stored) == Labels{"animals"});
  REQUIRE(stored.withheld->size() == 1);
  CHECK(stored.withheld->at(0).label == "pets");
  CHECK(labels_of(engine.classify(record("new", kCatText))) == Labels{"animals"});
  CHECK(labels_of(engine.classify(record("", kCatText))) == Labels{"animals", "pets"});
  const std::vector<Record> batch = {record("new", kCatText), record("other", kCatText)};
  CHECK(labels_of(engine.classify(batch)[0]) == Labels{"animals"});
  CHECK(labels_of(engine.classify(batch)[1]) == Labels{"animals", "pets"});
}

TEST_CASE("a rejected tag leaves its room to the next one") {
  const test::Tagged collection;
  edit_tags(collection.path, {}, {"new"}, {.reject = {"animals"}});
  Settings settings;
  settings.classify.limit = 1;
  tag_all(collection.path, settings);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOpets"});
}

TEST_CASE("a predicted tag that a person confirms by giving it is not rejected") {
  const test::Tagged collection;
  change_term(collection.path, "new", "XAUTOpets", "Kpets");
  tag_all(collection.path);
  CHECK(collection.terms("XNOT").empty());
  CHECK(collection.terms("XAUTO").empty());  // people's tags stand alone
  CHECK(terms_on_disk(collection.path, "new", "K") == Terms{"Kpets"});
}

TEST_CASE("a tag that Kindred itself took off is not rejected") {
  const test::Tagged collection;
  Settings strict;
  strict.classify.min_confidence = 1;
  strict.classify.never = {"animals", "pets"};
  CHECK(tag_all(collection.path, strict).taken_off == 2);
  CHECK(collection.terms("XAUTO").empty());
  CHECK(tag_all(collection.path).given == 2);
  CHECK(collection.terms("XNOT").empty());
}

TEST_CASE("a change of the prefix of predicted tags rejects nothing") {
  const test::Tagged collection;
  Settings settings;
  settings.labels.predicted_prefix = "XMINE";
  CHECK(tag_all(collection.path, settings).rejected == 0);
  CHECK(terms_on_disk(collection.path, "new", "XMINE") == Terms{"XMINEanimals", "XMINEpets"});
}

TEST_CASE("tags of people and of Kindred stay apart on every path") {
  const test::Tagged collection;
  CHECK(terms_on_disk(collection.path, "new", "K").empty());
  tag_all(collection.path);
  CHECK(terms_on_disk(collection.path, "new", "K").empty());
  CHECK(terms_on_disk(collection.path, "cat1", "XAUTO").empty());
  // Once people speak, what Kindred said goes, whichever way the document is written next.
  change_term(collection.path, "new", "", "Kmine");
  SECTION("by a tagging run") {
    const TagReport report = tag_all(collection.path);
    CHECK(report.taken_off == 2);
    CHECK(report.labeled == 7);
  }
  SECTION("by a new version that is silent on tags") {
    ingest(collection.path, {record("new", kCatText)});
  }
  CHECK(collection.terms("XAUTO").empty());
  CHECK(collection.terms("XNOT").empty());
  CHECK(terms_on_disk(collection.path, "new", "K") == Terms{"Kmine"});
  const Xapian::Database database(collection.path);
  CHECK(test::document(database, "new").get_value(7001).empty());
}

TEST_CASE("a new version says which tags people gave, or leaves them") {
  const test::Tagged collection;
  change_term(collection.path, "new", "", "Kmine");
  ingest(collection.path,
         {parse_record(R"({"id": "new", "text": "my cat", "labels": ["other"]})")});
  CHECK(terms_on_disk(collection.path, "new", "K") == Terms{"Kother"});
  ingest(collection.path, {parse_record(R"({"id": "new", "text": "my cat purrs"})")});
  CHECK(terms_on_disk(collection.path, "new", "K") == Terms{"Kother"});
  CHECK(test::document(Xapian::Database(collection.path), "new").get_data().find("label=other") !=
        std::string::npos);
  ingest(collection.path, {parse_record(R"({"id": "new", "text": "my cat purrs", "labels": []})")});
  CHECK(terms_on_disk(collection.path, "new", "K").empty());
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
}

TEST_CASE("a label can be kept from being predicted") {
  const test::Collection collection;
  Settings settings;
  settings.classify.never = {"pets"};
  ingest(collection.path, {record("new", kCatText)}, settings);
  CHECK(terms_on_disk(collection.path, "new", "XAUTO") == Terms{"XAUTOanimals"});
  const Engine engine(collection.path, settings);
  CHECK(labels_of(engine.classify(UniqueId{"new"})) == Labels{"animals"});
  tag_all(collection.path, settings);
  CHECK(terms_on_disk(collection.path, "new", "XAUTO") == Terms{"XAUTOanimals"});
}

TEST_CASE("a document can be kept from being tagged") {
  const test::Collection collection;
  ingest(collection.path,
         {parse_record(R"({"id": "new", "text": "a cat purrs", "auto_tag": false})")});
  const auto untouched = [&] {
    return terms_on_disk(collection.path, "new", "XAUTO").empty() &&
           terms_on_disk(collection.path, "new", "XNOTAG") == Terms{"XNOTAG"};
  };
  CHECK(untouched());
  CHECK(tag_all(collection.path).opted_out == 1);
  CHECK(untouched());
  const Engine engine(collection.path, {});
  const Classification asked = engine.classify(UniqueId{"new"});
  CHECK(asked.tags.empty());
  CHECK(asked.withheld->size() == 2);
  ingest(collection.path, {record("new", kCatText)});  // a new version does not opt in
  CHECK(untouched());
  ingest(collection.path,
         {parse_record(R"({"id": "new", "text": "a cat purrs", "auto_tag": true})")});
  CHECK(terms_on_disk(collection.path, "new", "XAUTO").size() == 2);
}

TEST_CASE("changing tags writes only the documents whose tags change") {
  const test::Tagged collection;
  ingest(collection.path, {record("far", "xylophone")});
  const Xapian::Document before = test::document(Xapian::Database(collection.path), "new");
  const std::string data = before.get_data();
  tag_all(collection.path);  // a new document moved the confidences
  const std::uint64_t revision = Xapian::Database(collection.path).get_revision();
  CHECK(tag_all(collection.path).written == 0);
  CHECK(Xapian::Database(collection.path).get_revision() == revision);
  edit_tags(collection.path, {}, {"new"}, {.reject = {"pets"}});
  CHECK(tag_all(collection.path).written == 0);
  CHECK(Xapian::Database(collection.path).get_revision() == revision + 1);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals"});
  // Text, positions and data are what they were.
  const Xapian::Database database(collection.path);
  CHECK(test::document(database, "new").get_data() == data);
  CHECK(database.positionlist_begin(test::docid_of(database, "new"), "purrs") !=
        database.positionlist_end(test::docid_of(database, "new"), "purrs"));
}
