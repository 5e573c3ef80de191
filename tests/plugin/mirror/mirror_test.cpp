#include "plugin/mirror/reading/mirror_reader.h"

#include <xapian.h>

#include "plugin/mirror/mirror_file.h"
#include "tests/fixtures/shards_and_source.h"

using namespace kindred;

namespace {

struct Doc {
  std::map<std::string, unsigned> terms;  // wdf; 0 makes a boolean term
  Xapian::docid docid = 0;                // 0: the next free one
};

Xapian::WritableDatabase database_of(const std::vector<Doc>& docs, const std::string& path = {}) {
  Xapian::WritableDatabase database(
      path, path.empty() ? Xapian::DB_BACKEND_INMEMORY : Xapian::DB_CREATE_OR_OVERWRITE);
  for (const Doc& doc : docs) {
    Xapian::Document document;
    for (const auto& [term, wdf] : doc.terms) document.add_term(term, wdf);
    if (doc.docid == 0) {
      database.add_document(document);
    } else {
      database.replace_document(doc.docid, document);
    }
  }
  return database;
}

std::vector<std::string> dictionary(const Mirror& mirror) {
  std::vector<std::string> terms;
  for (std::uint32_t i = 0; i < mirror.dictionary.size(); ++i) {
    terms.emplace_back(mirror.dictionary[i]);
  }
  return terms;
}

std::map<std::string, unsigned> counts(const Mirror& mirror, Xapian::docid docid) {
  std::map<std::string, unsigned> terms;
  const kindred::RowEntries own = mirror.terms_of(docid);
  for (std::size_t i = 0; i < own.size(); ++i) {
    terms[std::string(mirror.dictionary[own.columns[i]])] = own.counts[i];
  }
  return terms;
}

std::vector<std::string> labels(const Mirror& mirror, Xapian::docid docid) {
  std::vector<std::string> names;
  for (const std::uint32_t label : mirror.labels_of(docid))
    names.emplace_back(mirror.labels.names[label]);
  return names;
}

using Terms = std::vector<std::string>;
using Counts = std::map<std::string, unsigned>;

}  // namespace

TEST_CASE("a mirror holds the stems of an index that has stems, and nothing else") {
  const Mirror mirror = read_mirror(
      database_of(
          {{{{"Zcat", 2}, {"ZScat", 3}, {"cats", 2}, {"Scats", 3}, {"Kpets", 0}, {"Qa", 0}}},
           {{{"Zdog", 1}, {"Zcat", 1}, {"dog", 1}, {"Z1984", 1}, {"Qb", 0}}}}),
      {});
  CHECK(mirror.prefixes == Terms{"Z"});
  CHECK(dictionary(mirror) == Terms{"Z1984", "Zcat", "Zdog"});
  CHECK(counts(mirror, 1) == Counts{{"Zcat", 2}});
  CHECK(counts(mirror, 2) == Counts{{"Z1984", 1}, {"Zcat", 1}, {"Zdog", 1}});
  CHECK(mirror.df == std::vector<std::uint32_t>{1, 2, 1});
  CHECK(labels(mirror, 1) == Terms{"pets"});
  CHECK(labels(mirror, 2).empty());
  CHECK(mirror.labeled.numbers() == std::vector<Xapian::docid>{1});
  CHECK(mirror.id_of(2) == "b");
  CHECK(mirror.documents_with_id("a") == std::vector<Xapian::docid>{1});
}

TEST_CASE("an index without stems is mirrored by its unprefixed words") {
  const Mirror mirror = read_mirror(
      database_of({{{{"42", 1}, {"apple", 1}, {"XTfruit", 0}, {"Apfel", 1}, {"\xc3\xa4", 4}}}}),
      {});
  CHECK(mirror.prefixes == Terms{""});
  CHECK(dictionary(mirror) == Terms{"42", "apple", "\xc3\xa4"});
}

TEST_CASE("the configured prefixes are the features, also several and boolean ones") {
  Settings settings;
  settings.mirror.term_prefixes = {"XT", "", "XT"};
  const Mirror mirror = read_mirror(
      database_of({{{{"word", 2}, {"XTtag", 0}, {"XT:Tag", 0}, {"XTRAother", 1}, {"Zword", 2}}}}),
      settings);
  CHECK(dictionary(mirror) == Terms{"word", "XT:Tag", "XTtag"});
  CHECK(counts(mirror, 1) == Counts{{"word", 2}, {"XT:Tag", 1}, {"XTtag", 1}});
}

TEST_CASE("labels follow their prefix and its colon rule, in byte order") {
  Settings settings;
  settings.labels.prefix = "XT";
  const Mirror mirror = read_mirror(
      database_of(
          {{{{"Zx", 1}, {"XTb", 0}, {"XT:Zed", 0}, {"XT::x", 0}, {"XT;y", 0}, {"XTRAn", 0}}},
           {{{"Zx", 1}, {"XTb", 0}}}}),
      settings);
  CHECK(labels(mirror, 1) == Terms{":x", ";y", "Zed", "b"});
  CHECK(labels(mirror, 2) == Terms{"b"});
}

TEST_CASE("two spellings of a label are one label") {
  Settings settings;
  settings.labels.prefix = "XT";
  const Mirror mirror = read_mirror(database_of({{{{"Zx", 1}, {"XT:b", 0}, {"XTb", 0}}},
                                                 {{{"Zx", 1}, {"XT:b", 0}}},
                                                 {{{"Zx", 1}, {"XTb", 0}, {"XTc", 0}}}}),
                                    settings);
  CHECK(mirror.labels.names.size() == 2);
  CHECK(labels(mirror, 1) == Terms{"b"});
  CHECK(labels(mirror, 2) == Terms{"b"});
  CHECK(labels(mirror, 3) == Terms{"b", "c"});
}

TEST_CASE("documents are found by their docids, whatever gaps these have") {
  const Xapian::docid far = GENERATE(Xapian::docid{9}, Xapian::docid{4294967295u});
  CAPTURE(far);
  const kindred::test::TemporaryDirectory directory;
  const Mirror mirror = read_mirror(
      database_of({{{{"Za", 1}}, 3}, {{{"Zb", 2}, {"Klast", 0}}, far}, {{{"Zc", 3}}, 1}},
                  directory / "db"),
      {});
  REQUIRE(mirror.list->numbers() == std::vector<Xapian::docid>{1, 3, far});
  CHECK(counts(mirror, 1) == Counts{{"Zc", 3}});
  CHECK(counts(mirror, far) == Counts{{"Zb", 2}});
  CHECK(labels(mirror, far) == Terms{"last"});
  CHECK(mirror.has(far));
  CHECK_FALSE(mirror.has(2));
  CHECK(mirror.id_of(far) == std::to_string(far));  // no unique id: the docid stands in
}

TEST_CASE("counts above 65,535 are kept as 65,535") {
  CHECK(counts(read_mirror(database_of({{{{"Za", 1000000}}}}), {}), 1) == Counts{{"Za", 65535}});
}

TEST_CASE("an empty database has an empty mirror") {
  const Mirror mirror = read_mirror(database_of({}), {});
  CHECK(mirror.documents() == 0);
  CHECK(mirror.list->numbers().empty());
  CHECK(mirror.dictionary.size() == 0);
  CHECK(mirror.labels.names.size() == 0);
}

TEST_CASE("a label prefix that matches nothing leaves no label") {
  Settings settings;
  settings.labels.prefix = "XNONE";
  const Mirror mirror = read_mirror(database_of({{{{"Za", 1}, {"Kx", 0}}}}), settings);
  CHECK(mirror.labels.names.size() == 0);
  CHECK(mirror.labeled.count() == 0);
}

TEST_CASE("predicted tags are no labels") {
  const auto database = database_of({{{{"cat", 1}, {"Kpets", 0}}},
                                     {{{"dog", 1}, {"XAUTOpets", 0}, {"XAUTO:Loud", 0}}},
                                     {{{"eel", 1}}}});
  const Mirror strict = read_mirror(database, {});
  CHECK(labels(strict, 2).empty());
  CHECK(strict.labeled.numbers() == std::vector<Xapian::docid>{1});
}

TEST_CASE("the term of documents that were given tags is neither feature nor label") {
  const auto database = database_of({{{{"cat", 1}, {"XTpets", 0}, {"XTAGGED", 0}}}});
  for (const char* features : {"", "X", "XT"}) {
    Settings settings;
    settings.labels.prefix = "XT";
    settings.labels.predicted_prefix = "XTAG";
    settings.mirror.term_prefixes = {features};
    const Mirror mirror = read_mirror(database, settings);
    CHECK(labels(mirror, 1) == std::vector<std::string>{"pets"});
    for (std::uint32_t i = 0; i < mirror.dictionary.size(); ++i)
      CHECK(mirror.dictionary[i] != "XTAGGED");
  }
}

TEST_CASE("features of shards that are read together are those that are read one by one") {
  const unsigned count = GENERATE(2, 3, 5);
  const std::size_t threads = GENERATE(1, 4);
  Settings settings;
  settings.mirror.term_prefixes =
      GENERATE(std::vector<std::string>{"Z"}, std::vector<std::string>{"", "XFILTER", "Z", "ZS"});
  CAPTURE(count, threads);
  kindred::test::Shards shards(count);
  shards.remove(5), shards.remove(12);
  Xapian::Document other;  // a term of one shard only, and one that sorts before all
  other.add_term("ZSonly", 70000);
  other.add_term("Za");
  other.add_boolean_term("plain");
  shards.writers.back().add_document(other);
  shards.writers.back().commit();
  std::vector<Xapian::Database> each;
  Xapian::Database all;
  for (unsigned i = 0; i < count; ++i) {
    each.emplace_back(shards.path(i));
    all.add_database(each.back());
  }
  const Mirror expected = read_mirror(all, settings);
  const Mirror mirror = read_mirror(all, settings, {}, {each, {}, threads});
  const std::vector<Xapian::docid> docids = expected.list->numbers();
  REQUIRE(mirror.list->numbers() == docids);
  CHECK(dictionary(mirror) == dictionary(expected));
  CHECK(mirror.df == expected.df);
  CHECK(mirror.agrees);
  CHECK(matrix_of(*mirror.list, docids) == matrix_of(*expected.list, docids));
  CHECK(mirror.shards == expected.shards);
}

TEST_CASE("the mirror counts what is tagged, pending, opted out and rejected") {
  auto database = database_of({{{{"a", 1}, {"XAUTOx", 0}, {"XAUTOy", 0}, {"XNOT:Z", 0}}},
                               {{{"b", 1}, {"XUNTAGGED", 0}}},
                               {{{"c", 1}, {"XNOTAG", 0}}},
                               {{{"d", 1}, {"XNOTx", 0}, {"XNOTy", 0}}},
                               {{{"e", 1}}}});
  Xapian::Document document = database.get_document(5);
  document.add_value(7001, "{}");
  database.replace_document(5, document);
  const Mirror mirror = read_mirror(database, {});
  CHECK(mirror.tags.tagged == 1);
  CHECK(mirror.tags.pending == 1);
  CHECK(mirror.tags.opted_out == 1);
  CHECK(mirror.tags.rejected == 3);
  CHECK(mirror.marked.numbers() == std::vector<Xapian::docid>{1, 3, 4, 5});
}

TEST_CASE("it pays to save a mirror when 1,000 documents and an eighth of all have changed") {
  CHECK_FALSE(pays_to_save(0, 0));
  CHECK_FALSE(pays_to_save(1000, 1000));
  CHECK(pays_to_save(1001, 1000));
  CHECK_FALSE(pays_to_save(10000, 80000));
  CHECK(pays_to_save(10001, 80000));
}
