#include "plugin/mirror/mirror.h"

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

TEST_CASE("a sample of a mirror is the mirror of a database of these documents only") {
  const std::vector<Record> records = test::topical_documents(60);
  const std::array<std::uint32_t, 4> rows = {3, 8, 21, 22};
  std::vector<Record> some;
  for (const std::uint32_t row : rows) some.push_back(records[row]);
  const test::TemporaryDirectory directory;
  test::write(directory / "all", records);
  test::write(directory / "some", some);
  const auto read = [&](const char* name) {
    return read_mirror(open_database(directory / name), test::untuned());
  };
  const Mirror all = read("all"), expected = read("some");
  const Mirror sample = mirror_sample(all, rows);
  REQUIRE(sample.rows() == rows.size());
  CHECK(sample.uuid == all.uuid);
  CHECK(sample.df == expected.df);
  CHECK(sample.counts.matrix().row_begin == expected.counts.matrix().row_begin);
  CHECK(sample.counts.matrix().column == expected.counts.matrix().column);
  CHECK(sample.counts.matrix().count == expected.counts.matrix().count);
  CHECK(sample.labeled == expected.labeled);
  REQUIRE(sample.vocabulary.size() == expected.vocabulary.size());
  for (std::uint32_t term = 0; term < sample.vocabulary.size(); ++term)
    CHECK(sample.vocabulary[term] == expected.vocabulary[term]);
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    CHECK(sample.labels.names_of(row) == expected.labels.names_of(row));
    CHECK(sample.id_of(row) == expected.id_of(row));
    CHECK(sample.docids[row] == all.docids[rows[row]]);
  }
}
