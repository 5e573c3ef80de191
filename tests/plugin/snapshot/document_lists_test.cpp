// Lists of documents, what documents hold about their tags, and counts of labels, through the C++
// face.
#include "plugin/snapshot/document_lists.h"

#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/documents/tag_edit.h"
#include "plugin/engine.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::record;

namespace {

using Ids = std::vector<std::string>;
using Docids = std::vector<Xapian::docid>;

Record titled(Record record, std::string title) {
  record.title = std::move(title);
  return record;
}

MatchingRequest asks(std::string query, std::int64_t offset, std::optional<std::int64_t> limit) {
  MatchingRequest request;
  request.query = std::move(query);
  request.offset = offset;
  request.limit = limit;
  request.ids = true;
  return request;
}

}  // namespace

TEST_CASE("documents that match a query are listed in docid order, page by page") {
  const test::Collection collection({titled(record("cat9", "cat", {"pets"}), "Nine")});
  const Engine engine(collection.path, {});
  const MatchingDocuments all = engine.matching(asks("label:pets", 0, {}));
  CHECK(all.docids == Docids{1, 2, 8});
  CHECK(all.ids == Ids{"cat1", "cat2", "cat9"});
  CHECK(all.titles.empty());
  CHECK(all.found == 3);
  CHECK(all.revision == engine.status().revision);
  MatchingRequest page = asks("label:pets", 1, 5);
  page.titles = true;
  const MatchingDocuments rest = engine.matching(page);
  CHECK(rest.ids == Ids{"cat2", "cat9"});
  CHECK(rest.titles == Ids{"", "Nine"});
  CHECK(rest.found == 3);
  CHECK(engine.matching(asks("", 7, 1)).docids == Docids{8});
  CHECK(engine.matching(asks("", 8, 1)).docids.empty());
  CHECK(test::code_of([&] { engine.matching(asks("", -1, 1)); }) == Errc::kInvalidArgument);
  CHECK(test::code_of([&] { engine.matching(asks("", 0, 0)); }) == Errc::kInvalidArgument);
  CHECK(test::code_of([&] { engine.matching(asks("(", 0, 1)); }) == Errc::kInvalidArgument);
}

TEST_CASE("a list has no documents that were deleted since the mirror was read") {
  const test::Collection collection;
  Engine engine(collection.path, {});
  delete_documents(engine, Ids{"cat1", "zen1"});
  CHECK(engine.matching(asks("", 0, {})).found == 7);
  engine.refresh();
  const MatchingDocuments list = engine.matching(asks("", 0, {}));
  CHECK(list.ids == Ids{"cat2", "dog1", "tax1", "tax2", "bank1"});
  CHECK(list.found == 5);
}

TEST_CASE("documents show the labels, predicted tags and limits that they hold now") {
  const test::Collection collection({titled(record("new", "my cat purrs and sleeps"), "New")});
  Engine engine(collection.path, {});
  tag_documents(engine, {});
  TagEdit refuse;
  refuse.remove = {"finance"};
  refuse.auto_tag = true;
  edit_tags(collection.path, {}, {"new"}, refuse);
  engine.refresh();
  const auto read = engine.documents({UniqueId{"new"}, Docid{1}, UniqueId{"new"}});
  CHECK(read.revision == engine.status().revision);
  REQUIRE(read.documents.size() == 3);
  const StoredDocument& document = read.documents[0];
  CHECK(document.id == "new");
  CHECK(document.docid == 8);
  CHECK(document.title == "New");
  CHECK(document.labels.empty());
  CHECK(document.rejected == Ids{"finance"});
  CHECK(document.auto_tag);
  CHECK(!document.pending);
  const std::vector<Tag> expected = engine.classify(UniqueId{"new"}).tags;
  REQUIRE(document.predicted.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(document.predicted[i].label == expected[i].label);
    CHECK(document.predicted[i].confidence == expected[i].confidence);
  }
  CHECK(read.documents[1].labels == Ids{"animals", "pets"});
  CHECK(read.documents[2].docid == 8);
  CHECK(engine.titles(Docids{8, 1, 99}) == Ids{"New", "", ""});
  CHECK(test::code_of([&] { engine.documents({UniqueId{"nobody"}}); }) == Errc::kNotFound);
  CHECK(test::code_of([&] { engine.documents({Docid{99}}); }) == Errc::kNotFound);
  CHECK(test::code_of([&] { engine.documents({record("new", "text")}); }) ==
        Errc::kInvalidArgument);
}

TEST_CASE("a predicted tag without a confidence in the index has the confidence 0") {
  const test::Collection collection;
  test::change_term(collection.path, "zen1", "", "XAUTOodd");
  const auto read = Engine(collection.path, {}).documents({UniqueId{"zen1"}});
  REQUIRE(read.documents.front().predicted.size() == 1);
  CHECK(read.documents.front().predicted.front().label == "odd");
  CHECK(read.documents.front().predicted.front().confidence == 0);
}

TEST_CASE("labels are counted by who gave them, without names of the system") {
  const test::Collection collection({record("new", "my cat purrs and sleeps")});
  Settings settings;
  settings.labels.system = {"inbox"};
  test::change_term(collection.path, "zen1", "", "Kinbox");
  test::change_term(collection.path, "zen1", "", "XNOTfinance");
  Engine engine(collection.path, settings);
  tag_documents(engine, {});
  engine.refresh();
  const LabelCounts counts = engine.label_counts();
  CHECK(counts.revision == engine.status().revision);
  REQUIRE(counts.labels.size() == 3);
  CHECK(counts.labels[0].name == "animals");
  CHECK(counts.labels[0].documents == 3);
  CHECK(counts.labels[0].predicted == 1);
  CHECK(counts.labels[1].name == "finance");
  CHECK(counts.labels[1].documents == 3);
  CHECK(counts.labels[1].rejected == 1);
  CHECK(counts.labels[2].name == "pets");
  CHECK(counts.labels[2].predicted == 1);
}
