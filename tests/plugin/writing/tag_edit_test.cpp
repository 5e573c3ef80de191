// Labels that people give to documents of an index and take back, through edit_documents(), and
// what the index then holds.
#include "plugin/writing/edits.h"

#include <algorithm>
#include <string>
#include <vector>

#include "plugin/writing/tagging.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::change_term;
using test::record;
using test::Terms;
using test::terms_on_disk;

namespace {

using Labels = std::vector<std::string>;

TagEdit adding(Labels labels) {
  TagEdit edit;
  edit.add = std::move(labels);
  return edit;
}

TagEdit taking_off(Labels labels) {
  TagEdit edit;
  edit.take_off = std::move(labels);
  return edit;
}

StoredDocument edit(const std::string& path, const std::string& id, const TagEdit& change,
                    const Settings& settings = {}) {
  const DocumentEdit one = {change, id, {}};
  return edit_documents(path, settings, {&one, 1}).documents.front();
}

std::string data_of(const std::string& path, const std::string& id) {
  return test::document(Xapian::Database(path), id).get_data();
}

TagReport run_tagging(const std::string& path) {
  Engine engine(path, {});
  return tag_documents(engine, {});
}

}  // namespace

TEST_CASE("a label that people take off is given again, unless they reject it") {
  const test::Tagged collection;
  edit(collection.path, "new", adding({"pets", "odd"}));
  run_tagging(collection.path);
  const StoredDocument bare = edit(collection.path, "new", taking_off({"pets", "odd"}));
  CHECK(bare.labels.empty());
  CHECK(collection.terms("K").empty());
  CHECK(data_of(collection.path, "new") == "id=new\nsample=my cat purrs and sleeps\n");
  TagEdit reject;
  reject.reject = {"animals"};
  edit(collection.path, "new", reject);
  run_tagging(collection.path);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOpets"});
  CHECK(collection.terms("XNOT") == Terms{"XNOTanimals"});
}

TEST_CASE("a label that people give is no longer refused, and the document waits for no tags") {
  const test::Tagged collection;
  TagEdit reject;
  reject.reject = {"animals"};
  edit(collection.path, "new", reject);
  change_term(collection.path, "new", "", "XUNTAGGED");
  const StoredDocument document = edit(collection.path, "new", adding({"animals"}));
  CHECK(document.rejected.empty());
  CHECK(!document.pending);
  CHECK(collection.terms("XNOT").empty());
  CHECK(collection.terms("XUNTAGGED").empty());
}

TEST_CASE("taking off a label that is not there says so, with the nearest that is") {
  const test::Tagged collection;
  edit(collection.path, "new", adding({"night sky"}));
  const auto fault = [&](const std::string& label) {
    return test::message_of([&] { edit(collection.path, "new", taking_off({label})); });
  };
  CHECK(test::says(fault("night skies"),
                   {"'new'", "does not have the label 'night skies'", "'night sky'"}));

  edit(collection.path, "new", taking_off({"night sky"}));
  run_tagging(collection.path);
  REQUIRE_FALSE(collection.terms("XAUTO").empty());
  CHECK(test::says(fault("animals"), {"does not have the label 'animals'", "can be rejected"}));
}

TEST_CASE("a tag that was accepted or rejected is as open as before when that is undone") {
  const test::Tagged collection;
  TagEdit decide;
  decide.accept = {"pets"};
  decide.reject = {"animals"};
  const StoredDocument decided = edit(collection.path, "new", decide);
  CHECK(decided.labels == Labels{"pets"});
  CHECK(decided.rejected == Labels{"animals"});

  TagEdit undo;
  undo.undo = {"animals", "pets"};
  const StoredDocument open = edit(collection.path, "new", undo);
  CHECK(open.labels.empty());
  CHECK(open.rejected.empty());
  run_tagging(collection.path);
  CHECK(collection.terms("XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
}

TEST_CASE("a label that somebody rejects is taken off, whoever gave it") {
  const test::Collection collection;
  edit(collection.path, "cat1", adding({"odd"}));
  TagEdit reject;
  reject.reject = {"odd"};
  const StoredDocument document = edit(collection.path, "cat1", reject);
  CHECK(std::ranges::find(document.labels, "odd") == document.labels.end());
  CHECK(document.rejected == Labels{"odd"});
}

TEST_CASE("wrong edits are refused, and nothing is written then") {
  const test::Collection collection;
  Settings settings;
  settings.labels.system = {"inbox"};
  const auto code = [&](const TagEdit& bad, const std::string& id = "cat1") {
    const std::vector<DocumentEdit> edits = {{adding({"new"}), "cat2", {}}, {bad, id, {}}};
    return test::code_of([&] { edit_documents(collection.path, settings, edits); });
  };
  CHECK(code(adding({"x"}), "nobody") == Errc::kNotFound);
  CHECK(code(adding({""})) == Errc::kInvalidArgument);
  CHECK(code(adding({" "})) == Errc::kInvalidArgument);
  CHECK(code(adding({std::string(244, 'x')})) == Errc::kInvalidArgument);
  CHECK(code(adding({std::string(245, 'x')})) == Errc::kInvalidArgument);
  CHECK(code(adding({"\xff"})) == Errc::kInvalidArgument);
  CHECK(code(adding({"inbox"})) == Errc::kInvalidArgument);
  CHECK(code(taking_off({"inbox"})) == Errc::kInvalidArgument);
  TagEdit both = adding({"x"});
  both.take_off = {"x"};
  CHECK(code(both) == Errc::kInvalidArgument);
  both = adding({"x"});
  both.reject = {"x"};
  CHECK(code(both) == Errc::kInvalidArgument);
  both = {};
  both.reject = both.undo = {"x"};
  CHECK(code(both) == Errc::kInvalidArgument);
  CHECK(terms_on_disk(collection.path, "cat2", "Knew").empty());
}

TEST_CASE("terms under the prefix of labels that are none stay, and so does data of others") {
  const test::Collection collection;
  Settings settings;
  settings.labels.system = {"inbox"};
  change_term(collection.path, "cat1", "", "Kinbox");
  {
    Xapian::WritableDatabase database(collection.path, Xapian::DB_OPEN);
    const Xapian::docid docid = test::docid_of(database, "cat1");
    Xapian::Document document = database.get_document(docid);
    document.set_data("url=/cat\nlabel=animals\n");
    database.replace_document(docid, document);
    database.commit();
  }
  TagEdit clear = adding({"cats"});
  clear.clear_labels = true;
  CHECK(edit(collection.path, "cat1", clear, settings).labels == Labels{"cats"});
  CHECK(terms_on_disk(collection.path, "cat1", "K") == Terms{"Kcats", "Kinbox"});
  CHECK(data_of(collection.path, "cat1") == "url=/cat\nlabel=animals\n");
}

TEST_CASE("a label that is spelled in two ways is taken back in both") {
  const test::Collection collection;
  Settings settings;
  settings.labels.prefix = "XT";
  change_term(collection.path, "cat1", "", "XTcats");
  change_term(collection.path, "cat1", "", "XT:cats");
  CHECK(Engine(collection.path, settings).label_counts().labels.front().documents == 1);
  CHECK(edit(collection.path, "cat1", taking_off({"cats"}), settings).labels.empty());
  CHECK(terms_on_disk(collection.path, "cat1", "XT").empty());
}

TEST_CASE("a label is one in all forms of Unicode, and without white space at its ends") {
  const test::Collection collection({record("a", "text", {"caf\u00e9"}), record("b", "text", {})});
  change_term(collection.path, "b", "", "Kcafe\u0301");
  change_term(collection.path, "b", "", "K caf\u00e9");
  const Labels all{"animals", "caf\u00e9", "finance", "pets"};
  const api::LabelsAnswer counts = Engine(collection.path, {}).label_counts();
  CHECK(counts.labels.size() == all.size());
  for (const auto& label : counts.labels)
    if (label.label == all[1]) CHECK(label.documents == 2);
  CHECK(Engine(collection.path, {}).labels() == all);
  for (const char* filter : {"label:caf\u00e9", "label:cafe\u0301", "label:\" caf\u00e9 \""})
    CHECK(Engine(collection.path, {}).matching(filter).size() == 2);
  CHECK(edit(collection.path, "a", adding({" cafe\u0301 "})).labels == Labels{"caf\u00e9"});
  CHECK(terms_on_disk(collection.path, "a", "K") == Terms{"Kcaf\u00e9"});
  CHECK(edit(collection.path, "b", taking_off({"cafe\u0301"})).labels.empty());
  CHECK(terms_on_disk(collection.path, "b", "K").empty());
  CandidatesRequest request;
  request.label = "cafe\u0301 ";
  CHECK(Engine(collection.path, {}).candidates(request).examined == 8);
}

TEST_CASE("labels.system takes patterns wherever labels are listed or counted") {
  const test::Collection collection({record("a", "text", {"_EXACTspace", "space"})});
  Settings settings;
  settings.labels.system = {"_EXACT*"};
  const Engine engine(collection.path, settings);
  const Labels all{"animals", "finance", "pets", "space"};
  CHECK(engine.labels() == all);
  const api::LabelsAnswer counts = engine.label_counts();
  CHECK(counts.labels.size() == all.size());
  for (const auto& label : counts.labels) CHECK(label.label != "_EXACTspace");
  CHECK(engine.documents({UniqueId{"a"}}).documents.front().labels == Labels{"space"});
}

TEST_CASE("a colon at the beginning of a label or id belongs to it if the prefix is one letter") {
  const test::Collection collection({record(":odd", "text", {":x", "x"})});
  CHECK(edit(collection.path, ":odd", taking_off({"x"})).labels == Labels{":x"});
  CHECK(edit(collection.path, ":odd", adding({"x"})).labels == Labels{":x", "x"});
  CHECK(edit(collection.path, ":odd", taking_off({":x"})).labels == Labels{"x"});
  CHECK(test::code_of([&] { edit(collection.path, "odd", adding({"y"})); }) == Errc::kNotFound);
}

TEST_CASE("labels of people are replaced in document data where records have them") {
  Record titled = record("a", "text", {"x", "old", "y"});
  titled.title = "Title";
  titled.language = "en";
  titled.fields = {{"label", "a field"}, {"zip", "1"}};
  const test::Collection collection({titled});
  TagEdit change = adding({"new line"});
  change.take_off = {"old", "x"};
  edit(collection.path, "a", change);
  CHECK(data_of(collection.path, "a") ==
        "id=a\ntitle=Title\nsample=text\nlang=en\nlabel=new line\nlabel=y\nzip=1\n"
        "kindred={\"keys\":{\"label\":\"a field\"}}\n");
}

TEST_CASE("an edit that gives a document more labels than it may have is refused") {
  const test::Collection collection;
  Settings settings;
  settings.labels.max_per_document = 3;
  CHECK(edit(collection.path, "cat1", adding({"one"}), settings).labels.size() == 3);
  const auto add_one = [&] { edit(collection.path, "cat1", adding({"two"}), settings); };
  CHECK(test::says(test::message_of(add_one), {"'cat1'", "labels", "at most 3", "found 4"}));
  TagEdit reject;
  reject.reject = {"a", "b", "c", "d"};
  CHECK_THROWS_AS(edit(collection.path, "dog1", reject, settings), Error);
  CHECK(terms_on_disk(collection.path, "cat1", "K").size() == 3);
  CHECK(terms_on_disk(collection.path, "dog1", "XNOT").empty());
}

TEST_CASE("a document to which another program gave too many labels may lose some of them") {
  const test::Collection collection;
  for (const char* label : {"Kw", "Kx", "Ky", "Kz"})
    change_term(collection.path, "cat1", "", label);
  Settings settings;
  settings.labels.max_per_document = 3;
  CHECK(edit(collection.path, "cat1", taking_off({"x", "pets"}), settings).labels.size() == 4);
  CHECK_THROWS_AS(edit(collection.path, "cat1", adding({"x"}), settings), Error);
}
