// Documents that are deleted by their ids are gone from the database and from the next snapshot.
#include "plugin/writing/deletion.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/store/writable_database.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;

namespace {

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("an id that another program gave to a second document deletes none of them") {
  const test::Collection collection;
  {
    Xapian::WritableDatabase other(collection.path, Xapian::DB_OPEN);
    Xapian::Document twin;
    twin.add_boolean_term("Qcat1");
    other.add_document(twin);
    other.commit();
  }
  Engine engine(collection.path, {});
  CHECK(test::code_of(
            [&] {
              delete_documents(engine, Ids{"tax1", "cat1"});
            },
            "docid: 1, 8") == Errc::kInvalidArgument);
  CHECK_FALSE(engine.refresh());

  const std::vector<Xapian::docid> docids = {8, 99};
  const DeletionReport report = delete_documents(engine, Ids{"tax1"}, docids);
  CHECK(report.deleted == 2);
  CHECK(report.unknown == 1);
  engine.refresh();
  CHECK(engine.status().documents == 6);
  CHECK(engine.docid_of("cat1") == 1);
}

TEST_CASE("a deletion waits for another writer to end") {
  const test::Collection collection;
  Engine engine(collection.path, {});
  std::optional<Xapian::WritableDatabase> other = open_writable_database(collection.path, {});
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    other.reset();
  });
  CHECK(delete_documents(engine, Ids{"cat1"}).deleted == 1);
  ending.join();
}

TEST_CASE("nothing is deleted while another writer holds the lock, or where there is no path") {
  const test::Collection collection;
  Settings settings;
  settings.write.wait = .02;
  Engine engine(collection.path, settings);
  {
    const Xapian::WritableDatabase other = open_writable_database(collection.path, {});
    CHECK(test::code_of([&] { delete_documents(engine, Ids{"cat1"}); }) == Errc::kDatabase);
  }
  Engine opened(Xapian::Database(collection.path), {});
  CHECK(test::code_of([&] { delete_documents(opened, Ids{"cat1"}); }) == Errc::kUnsupported);
  engine.refresh();
  CHECK(engine.status().documents == 7);
}
