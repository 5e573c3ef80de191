// Lists of documents and counts of labels through the C++ face, in indexes that others change.
#include "plugin/snapshot/document_lists.h"

#include <string>
#include <vector>

#include "plugin/writing/deletion.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::record;

namespace {

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a list has no documents that were deleted since the mirror was read") {
  test::EngineOf engine;
  delete_documents(engine, Ids{"cat1", "zen1"});
  MatchingRequest request;
  CHECK(engine.matching(request).found == 7);
  engine.refresh();
  const MatchingDocuments list = engine.matching(request);
  CHECK(list.docids == std::vector<Xapian::docid>{2, 3, 4, 5, 6});
  CHECK(list.found == 5);
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
  const api::LabelsAnswer counts = engine.label_counts();
  CHECK(counts.revision == engine.status().revision);
  REQUIRE(counts.labels.size() == 3);
  CHECK(counts.labels[0].label == "animals");
  CHECK(counts.labels[0].documents == 3);
  CHECK(counts.labels[0].predicted == 1);
  CHECK(counts.labels[1].label == "finance");
  CHECK(counts.labels[1].documents == 3);
  CHECK(counts.labels[1].rejected == 1);
  CHECK(counts.labels[2].label == "pets");
  CHECK(counts.labels[2].predicted == 1);
}

TEST_CASE("labels are counted anew when the database is followed") {
  const test::Collection collection;
  Engine engine(collection.path, {});
  const std::size_t before = engine.label_counts().labels.size();
  test::change_term(collection.path, "zen1", "", "Knew");
  engine.refresh();
  const api::LabelsAnswer counts = engine.label_counts();
  CHECK(counts.labels.size() == before + 1);
  CHECK(counts.revision == engine.status().revision);
}

TEST_CASE("labels are counted anew each time in a database that the caller opened") {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  Xapian::Document document;
  document.add_boolean_term("Kfirst");
  database.add_document(document);
  const Engine engine(database, {});
  CHECK(engine.label_counts().labels.size() == 1);
  document.add_boolean_term("Ksecond");
  database.add_document(document);
  const api::LabelsAnswer counts = engine.label_counts();
  REQUIRE(counts.labels.size() == 2);
  CHECK(counts.labels[0].documents == 2);
}
