#include "plugin/store/database_reader.h"

#include <xapian.h>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database_reader.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::TemporaryDirectory;
using namespace std::chrono_literals;

namespace {

constexpr auto kAnything = DatabaseReader::Extent::kAnything;

void add_document(Xapian::WritableDatabase& writer) {
  Xapian::Document document;
  for (int i = 0; i < 20; ++i) document.add_term("Zw" + std::to_string(i));
  document.add_boolean_term("Q" + std::to_string(writer.get_lastdocid() + 1));
  writer.add_document(document);
  writer.commit();
}

Xapian::WritableDatabase make_database(const std::string& path) {
  Xapian::WritableDatabase writer(path, Xapian::DB_CREATE_OR_OVERWRITE);
  add_document(writer);
  return writer;
}

using Failure = void (*)();
const Failure kFailures[] = {
    [] { throw Xapian::DatabaseModifiedError("m"); },
    [] { throw Xapian::DatabaseCorruptError("Expected block 1 to be level 1, not 0"); },
    [] { throw Xapian::DatabaseError("EOF reading block 7"); },
    [] { throw Xapian::RangeError("Value in posting list too large"); },
    [] { throw std::length_error("basic_string::append"); },
    [] { throw Error(Errc::kCorrupt, "a posting list of ours"); }};

}  // namespace

TEST_CASE("a read that fails while a writer commits is repeated at the newer revision") {
  for (const Failure fail : kFailures) {
    const TemporaryDirectory directory;
    Xapian::WritableDatabase writer = make_database(directory / "db");
    DatabaseReader reader(directory / "db");
    int calls = 0;
    const auto documents = reader.read("reading", [&](const Xapian::Database& database) {
      if (++calls <= 3) {
        add_document(writer);
        fail();
      }
      return database.get_doccount();
    });
    CHECK(calls == 4);
    CHECK(documents == 4);
  }
}

TEST_CASE("a read that fails while nobody commits is damage, and is reported at once") {
  for (const Failure fail : kFailures) {
    const TemporaryDirectory directory;
    make_database(directory / "db");
    DatabaseReader reader(directory / "db");
    int calls = 0;
    const auto read = [&] {
      reader.read("reading it", [&](const Xapian::Database&) {
        ++calls;
        fail();
      });
    };
    CHECK(code_of(read, "reading it") == Errc::kCorrupt);
    CHECK(calls == 1);
  }
}

TEST_CASE("a read of a stub is repeated as long as somebody commits to one of its shards") {
  const TemporaryDirectory directory;
  make_database(directory / "quiet");
  Xapian::WritableDatabase writer = make_database(directory / "busy");
  test::put_file(directory / "stub", "auto quiet\nauto busy\n");
  DatabaseReader reader(directory / "stub");
  int calls = 0;
  const auto documents = reader.read("reading", [&](const Xapian::Database& database) {
    if (++calls <= 12) {
      add_document(writer);
      throw Xapian::DatabaseModifiedError("overtaken");
    }
    return database.get_doccount();
  });
  CHECK(documents == 14);

  calls = 0;
  const auto read = [&] {
    reader.read("reading", [&](const Xapian::Database&) {
      ++calls;
      throw Xapian::DatabaseCorruptError("a block is damaged");
    });
  };
  CHECK(code_of(read, "a block is damaged") == Errc::kCorrupt);
  CHECK(calls == 1);
}

TEST_CASE("a commit before the reading began excuses no damage") {
  const TemporaryDirectory directory;
  Xapian::WritableDatabase writer = make_database(directory / "db");
  DatabaseReader reader(directory / "db");
  add_document(writer);
  int calls = 0;
  const auto read = [&] {
    reader.read("reading", [&](const Xapian::Database&) {
      ++calls;
      throw Xapian::DatabaseCorruptError("a block is damaged");
    });
  };
  CHECK(code_of(read, "a block is damaged") == Errc::kCorrupt);
  CHECK(calls == 2);  // once at each revision
}

TEST_CASE("in memory, where no revision tells, a failure is damage after some attempts") {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  DatabaseReader reader(database);
  const auto read = [&] {
    reader.read("reading", [](const Xapian::Database&) {
      throw Xapian::DatabaseCorruptError("a block is damaged");
    });
  };
  CHECK(code_of(read, "a block is damaged") == Errc::kCorrupt);
}

TEST_CASE("a writer that never lets a reader finish is named as the reason") {
  const TemporaryDirectory directory;
  Xapian::WritableDatabase writer = make_database(directory / "db");
  DatabaseReader reader(directory / "db", kAnything, 50ms);
  const auto read = [&] {
    reader.read("reading", [&](const Xapian::Database&) {
      add_document(writer);
      throw Xapian::DatabaseModifiedError("overtaken");
    });
  };
  CHECK(code_of(read, "a writer commits faster than the database can be read") == Errc::kDatabase);
}

TEST_CASE("an exception that does not come from reading is thrown on") {
  const TemporaryDirectory directory;
  Xapian::WritableDatabase writer = make_database(directory / "db");
  DatabaseReader reader(directory / "db");
  int calls = 0;
  const auto read = [&] {
    reader.read("reading", [&](const Xapian::Database&) {
      ++calls;
      add_document(writer);
      throw Error(Errc::kInvalidArgument, "the filter does not parse");
    });
  };
  CHECK(code_of(read, "the filter does not parse") == Errc::kInvalidArgument);
  CHECK(calls == 1);
}

TEST_CASE("copied posting lists give the same mirror") {
  const TemporaryDirectory directory;
  Xapian::WritableDatabase writer = make_database(directory / "db");
  for (int i = 0; i < 50; ++i) add_document(writer);
  const auto copied =
      kindred::read_mirror(kindred::open_copied_lists(directory / "db"), kindred::Settings());
  const auto direct = kindred::read_mirror(Xapian::Database(directory / "db"), kindred::Settings());
  CHECK(copied.uuid == direct.uuid);
  CHECK(copied.revision == direct.revision);
  const std::vector<Xapian::docid> docids = direct.list->numbers();
  REQUIRE(copied.list->numbers() == docids);
  CHECK(matrix_of(*copied.list, docids) == matrix_of(*direct.list, docids));
}
