// Changes of tags that are taken back, whoever made them.
#include "plugin/writing/undo.h"

#include <string>
#include <vector>

#include "plugin/writing/deletion.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::Terms;

namespace {

// Of test::Tagged: six changes of its collection, which are run 1, and the tags of "new".
constexpr std::uint64_t kTagsOfNew = 7;
constexpr std::uint64_t kNext = 8;

void change(const std::string& path, const std::string& id, const TagEdit& change,
            const std::string& who = "") {
  const DocumentEdit one = {change, id, {}};
  edit_documents(path, {}, {&one, 1}, who);
}

TagEdit giving(const Terms& labels) {
  TagEdit edit;
  edit.add = labels;
  return edit;
}

TagEdit refusing(const std::string& label) {
  TagEdit edit;
  edit.reject = {label};
  return edit;
}

api::UndoAnswer undo_run(const std::string& path, std::uint64_t run, bool dry_run = false) {
  UndoRequest request;
  request.run = run;
  request.dry_run = dry_run;
  return undo_changes(path, {}, request);
}

/// All terms and data of all documents.
std::string all_of(const std::string& path) {
  const Xapian::Database database(path);
  std::string text;
  for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it) {
    const Xapian::Document document = database.get_document(*it);
    text += document.get_data() + '\n';
    for (const std::string& term : test::terms_with(document, "")) text += term + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE(
    "a tagging run that is taken back leaves what was there, and an undo is taken back, too") {
  const test::Tagged collection;
  change(collection.path, "cat2", TagEdit{.clear_labels = true});
  change(collection.path, "dog1", TagEdit{.clear_labels = true});
  const std::string before = all_of(collection.path);
  Engine engine(collection.path, {});
  const TagReport report = tag_documents(engine, {});
  REQUIRE(report.changed >= 2);
  const std::string tagged = all_of(collection.path);

  const api::UndoAnswer undone = undo_run(collection.path, report.run);
  CHECK(undone.documents == report.changed);
  CHECK(undone.kept == 0);
  CHECK(all_of(collection.path) == before);

  CHECK(undo_run(collection.path, undone.run).tags == undone.tags);
  CHECK(all_of(collection.path) == tagged);
}

TEST_CASE("a label that was renamed in all documents gets its name back") {
  const test::Tagged collection;
  const std::string before = all_of(collection.path);
  LabelEdit renaming;
  renaming.label = "pets";
  renaming.name = "companions";
  const LabelChange renamed = edit_label(collection.path, {}, renaming);
  CHECK(undo_run(collection.path, renamed.run, true).documents == renamed.documents);
  CHECK(all_of(collection.path) != before);

  CHECK(undo_run(collection.path, renamed.run).documents == renamed.documents);
  CHECK(all_of(collection.path) == before);
}

TEST_CASE("a tag that was accepted or rejected is predicted again, with its confidence") {
  const test::Tagged collection;
  const std::string before = all_of(collection.path);
  TagEdit accepting;
  accepting.accept = {"animals"};
  accepting.reject = {"pets"};
  change(collection.path, "new", accepting);
  CHECK(undo_run(collection.path, kNext).tags == 2);
  CHECK(all_of(collection.path) == before);
  const std::string slot = test::document(Xapian::Database(collection.path), "new").get_value(7001);
  CHECK(slot.find(R"([{"label":"animals","confidence":0.75},{"label":"pets")") !=
        std::string::npos);
}

TEST_CASE("a later edit of the same label stays, and is named; others are taken back") {
  const test::Tagged collection;
  change(collection.path, "new", giving({"first", "second"}), "anna");
  change(collection.path, "new", refusing("first"), "ben");

  UndoRequest request;
  request.run = kNext;
  request.by = "anna";
  const api::UndoAnswer answer = undo_changes(collection.path, {}, request);
  CHECK(answer.tags == 1);
  REQUIRE(answer.kept == 1);
  CHECK(answer.kept_tags[0].label == "first");
  CHECK(answer.kept_tags[0].reason == "later");
  CHECK(answer.kept_tags[0].edit == kNext + 1);
  CHECK(answer.kept_tags[0].who == "ben");
  CHECK(collection.terms("K").empty());
  CHECK(collection.terms("XNOT") == Terms{"XNOTfirst"});

  // Once that edit is taken back itself, it is in nobody's way.
  undo_run(collection.path, kNext + 1);
  CHECK(collection.terms("K") == Terms{"Kfirst"});
  CHECK(undo_changes(collection.path, {}, request).tags == 1);
  CHECK(collection.terms("K").empty());
}

TEST_CASE("what another program changed since stays, and so does a document that is gone") {
  const test::Tagged collection;
  change(collection.path, "new", giving({"first"}));
  change(collection.path, "zen1", giving({"first"}));
  test::change_term(collection.path, "new", "XAUTOpets", "XNOTpets");
  Engine engine(collection.path, {});
  delete_documents(engine, Terms{"zen1"});

  const api::UndoAnswer tags = undo_run(collection.path, kTagsOfNew);
  CHECK(tags.tags == 1);
  REQUIRE(tags.kept == 1);
  CHECK(tags.kept_tags[0].label == "pets");
  CHECK(tags.kept_tags[0].reason == "elsewhere");
  CHECK(tags.kept_tags[0].edit == std::nullopt);

  const api::UndoAnswer gone = undo_run(collection.path, kNext + 1);
  CHECK(gone.documents == 0);
  CHECK(gone.kept_tags.at(0).reason == "deleted");
}

TEST_CASE("an ingest that is taken back leaves its documents, as they were tagged before") {
  const test::Tagged collection;
  const Terms labels = test::terms_on_disk(collection.path, "cat1", "K");
  test::write(collection.path, {test::record("cat1", "another text", {"other"})});
  CHECK(undo_run(collection.path, kNext).tags == 3);
  CHECK(test::terms_on_disk(collection.path, "cat1", "K") == labels);
}

TEST_CASE("an undo names what the history has not") {
  const test::Collection collection;
  UndoRequest request;
  const auto undo = [&] { undo_changes(collection.path, {}, request); };
  CHECK(test::code_of(undo, "expected edit, run or day") == Errc::kInvalidArgument);
  request.edit = 99;
  CHECK(test::code_of(undo, "no edit 99; it begins with edit 1") == Errc::kNotFound);
  request.edit.reset();
  request.day = "1970-01-01";
  CHECK(test::code_of(undo, "no edits of 1970-01-01") == Errc::kNotFound);
  request.day = "yesterday";
  CHECK(test::code_of(undo, "found 'yesterday'") == Errc::kInvalidArgument);
}
