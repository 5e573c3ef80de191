// index.positions: what an index without positions lacks, and everything that it has nevertheless.
#include <xapian.h>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tagged_document.h"

using namespace kindred;
using test::record;

namespace {

Settings without_positions() {
  Settings settings;
  settings.index.positions = false;
  return settings;
}

/// small_collection() with titles, and two documents that nobody tagged.
std::vector<Record> collection() {
  std::vector<Record> records = test::small_collection();
  records.push_back(record("new1", "my cat purrs and sleeps, my cat"));
  records.push_back(record("new2", "interest on the budget"));
  for (Record& r : records) r.title = "About " + r.id;
  return records;
}

/// The same records with positions and without.
struct Pair {
  Pair() {
    test::write(with, collection());
    test::write(without, collection(), without_positions());
  }
  test::TemporaryDirectory directory;
  std::string with = directory / "with";
  std::string without = directory / "without";
};

std::map<std::string, Xapian::termcount> wdf_of(const Xapian::Document& document) {
  std::map<std::string, Xapian::termcount> terms;
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it)
    terms[*it] = it.get_wdf();
  return terms;
}

bool finds_phrase(const Xapian::Database& database, const test::Terms& words) {
  Xapian::Enquire enquire(database);
  enquire.set_query(Xapian::Query(Xapian::Query::OP_PHRASE, words.begin(), words.end()));
  return !enquire.get_mset(0, 1).empty();
}

/// Every document's terms, lengths, data and tags are the same.
void check_same_documents(const Xapian::Database& a, const Xapian::Database& b) {
  REQUIRE(a.get_lastdocid() == b.get_lastdocid());
  for (Xapian::docid docid = 1; docid <= a.get_lastdocid(); ++docid) {
    CHECK(a.get_doclength(docid) == b.get_doclength(docid));
    CHECK(wdf_of(a.get_document(docid)) == wdf_of(b.get_document(docid)));
    CHECK(a.get_document(docid).get_data() == b.get_document(docid).get_data());
    CHECK(a.get_document(docid).get_value(7001) == b.get_document(docid).get_value(7001));
  }
}

}  // namespace

TEST_CASE("without positions an index has the same terms, counts and data") {
  const Pair pair;
  const Xapian::Database with(pair.with);
  const Xapian::Database without(pair.without);
  CHECK(with.has_positions());
  CHECK_FALSE(without.has_positions());
  check_same_documents(with, without);
}

TEST_CASE("where nothing has positions, a phrase is found wherever its words are") {
  const Pair pair;
  const Xapian::Database with(pair.with);
  const Xapian::Database without(pair.without);
  CHECK(finds_phrase(with, {"cat", "sleeps"}));
  CHECK_FALSE(finds_phrase(with, {"sleeps", "cat"}));
  CHECK(finds_phrase(without, {"cat", "sleeps"}));
  CHECK(finds_phrase(without, {"sleeps", "cat"}));
}

TEST_CASE("without positions the mirror is the same") {
  const Pair pair;
  const Mirror with = read_mirror(Xapian::Database(pair.with), Settings());
  const Mirror without = read_mirror(Xapian::Database(pair.without), without_positions());
  REQUIRE(with.dictionary.size() == without.dictionary.size());
  for (std::uint32_t i = 0; i < with.dictionary.size(); ++i)
    CHECK(with.dictionary[i] == without.dictionary[i]);
  const std::vector<Xapian::docid> docids = with.list->numbers();
  CHECK(matrix_of(*with.list, docids) == matrix_of(*without.list, docids));
  CHECK(with.df == without.df);
  for (const Xapian::docid docid : docids)
    CHECK(std::ranges::equal(with.labels_of(docid), without.labels_of(docid)));
}

TEST_CASE("without positions neighbors are the same") {
  const Pair pair;
  const Engine with(pair.with, Settings());
  const Engine without(pair.without, without_positions());
  const std::vector<api::RelatedDocument> expected = test::related_to(with, UniqueId{"cat1"});
  const std::vector<api::RelatedDocument> results = test::related_to(without, UniqueId{"cat1"});
  REQUIRE_FALSE(expected.empty());
  REQUIRE(results.size() == expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(results[i].docid == expected[i].docid);
    CHECK(results[i].similarity == expected[i].similarity);
  }
}

TEST_CASE("without positions documents get the same tags, and no positions by it") {
  const Pair pair;
  Engine with(pair.with, Settings());
  Engine without(pair.without, without_positions());
  CHECK(tag_documents(with, {}).given == 3);
  CHECK(tag_documents(without, {}).given == 3);
  check_same_documents(Xapian::Database(pair.with), Xapian::Database(pair.without));
  CHECK_FALSE(Xapian::Database(pair.without).has_positions());
}

TEST_CASE_METHOD(
    test::TemporaryPath,
    "documents written before keep their positions, and lose them with a new version") {
  test::write(path, {record("old1", "the cat sleeps"), record("old2", "a dog barks")});
  test::write(path, {record("new", "the bird sings"), record("old2", "a dog barks")},
              without_positions());
  const Xapian::Database mixed(path);
  CHECK(finds_phrase(mixed, {"cat", "sleeps"}));
  CHECK_FALSE(finds_phrase(mixed, {"dog", "barks"}));
  CHECK_FALSE(finds_phrase(mixed, {"bird", "sings"}));
  test::write(path, {record("old1", "the cat sleeps")}, without_positions());
  CHECK_FALSE(Xapian::Database(path).has_positions());
  test::write(path, {record("old1", "the cat sleeps")});
  CHECK_FALSE(finds_phrase(Xapian::Database(path), {"sleeps", "cat"}));
}
