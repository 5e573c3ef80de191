#include "plugin/mirror/mirror.h"

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

TEST_CASE("a sample of a mirror is the mirror of a database of these documents only") {
  const std::vector<Record> records = test::topical_documents(60);
  const std::array<Xapian::docid, 4> docids = {4, 9, 22, 23};
  std::vector<Record> some;
  for (const Xapian::docid docid : docids) some.push_back(records[docid - 1]);
  const test::TemporaryDirectory directory;
  test::write(directory / "all", records);
  test::write(directory / "some", some);
  const auto read = [&](const char* name) {
    return read_mirror(open_database(directory / name), test::untuned());
  };
  const Mirror all = read("all"), expected = read("some");
  const Mirror sample = mirror_sample(all, docids);
  REQUIRE(std::ranges::equal(sample.list->numbers(), docids));
  CHECK(sample.uuid == all.uuid);
  CHECK(sample.df == expected.df);
  CHECK(matrix_of(*sample.list, docids) == matrix_of(*expected.list, expected.list->numbers()));
  CHECK(sample.labeled.places() == expected.labeled.places());
  REQUIRE(sample.dictionary.size() == expected.dictionary.size());
  for (std::uint32_t term = 0; term < sample.dictionary.size(); ++term)
    CHECK(sample.dictionary[term] == expected.dictionary[term]);
  for (std::uint32_t i = 0; i < docids.size(); ++i) {
    CHECK(sample.label_names_of(docids[i]) == expected.label_names_of(i + 1));
    CHECK(sample.id_of(docids[i]) == expected.id_of(i + 1));
  }
}
