#include "plugin/mirror/following/mirror_update.h"

#include <xapian.h>
#include <set>
#include <string>
#include <vector>

#include "plugin/mirror/following/document_changes.h"
#include "plugin/mirror/following/mirror_growth.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/changing_database.h"
#include "tests/fixtures/temporary_directory.h"

using kindred::compacted_mirror;
using kindred::DocumentChanges;
using kindred::grown_mirror;
using kindred::LabelMatrix;
using kindred::Mirror;
using kindred::read_mirror;
using kindred::Settings;
using kindred::StringTable;
using kindred::updated_mirror;
using kindred::test::ChangingDatabase;

namespace {

std::vector<std::string> strings_of(const StringTable& table) {
  std::vector<std::string> strings;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    strings.emplace_back(table[i]);
    if (i == 0 || table[i] != table[i - 1]) CHECK(table.find(table[i]).has_value());
  }
  return strings;
}

std::vector<std::string> names_in_order(const LabelMatrix& labels) {
  std::vector<std::string> names;
  for (const std::uint32_t label : labels.order) names.emplace_back(labels.names[label]);
  return names;
}

void check_equal(const Mirror& mirror, const Mirror& expected) {
  CHECK(mirror.docids == expected.docids);
  CHECK(mirror.prefixes == expected.prefixes);
  CHECK(strings_of(mirror.vocabulary) == strings_of(expected.vocabulary));
  CHECK(mirror.counts.columns() == expected.counts.columns());
  CHECK(mirror.counts.matrix().row_begin == expected.counts.matrix().row_begin);
  CHECK(mirror.counts.matrix().column == expected.counts.matrix().column);
  CHECK(mirror.counts.matrix().count == expected.counts.matrix().count);
  CHECK(mirror.df == expected.df);
  CHECK(mirror.has_ids == expected.has_ids);
  CHECK(strings_of(mirror.ids) == strings_of(expected.ids));
  CHECK(strings_of(mirror.labels.names) == strings_of(expected.labels.names));
  CHECK(mirror.labels.row_begin == expected.labels.row_begin);
  CHECK(mirror.labels.label == expected.labels.label);
  CHECK(mirror.labels.documents == expected.labels.documents);
  CHECK(mirror.labels.order == expected.labels.order);
  CHECK(mirror.labeled == expected.labeled);
  CHECK(mirror.tagged == expected.tagged);
  CHECK(mirror.marked == expected.marked);
  CHECK(mirror.tags.tagged == expected.tags.tagged);
  CHECK(mirror.tags.pending == expected.tags.pending);
  CHECK(mirror.tags.opted_out == expected.tags.opted_out);
  CHECK(mirror.tags.rejected == expected.tags.rejected);
  CHECK(mirror.uuid == expected.uuid);
  CHECK(mirror.shards == expected.shards);
  CHECK(mirror.revision == expected.revision);
  CHECK(mirror.agrees == expected.agrees);
}

/// Makes the same changes to a mirror that is made compact at each step, and to one that grows as
/// long as it can.
class TwoMirrors {
 public:
  TwoMirrors(ChangingDatabase& changing, const Settings& settings)
      : changing_(changing),
        settings_(settings),
        compact_(read_mirror(changing.database(), settings)),
        growing_(compact_) {}

  void change(int count) {
    const std::set<Xapian::docid> docids = changing_.change(count);
    const Mirror expected = read_mirror(changing_.database(), settings_);
    step(compact_, docids, expected, false);
    step(growing_, docids, expected, true);
  }

  int grown() const { return grown_; }

 private:
  void step(Mirror& mirror, const std::set<Xapian::docid>& docids, const Mirror& expected,
            bool grows) {
    DocumentChanges changes(mirror, settings_);
    for (const Xapian::docid docid : docids) changes.read(changing_.database(), docid);
    const Xapian::Database& database = changing_.database();
    auto updated = updated_mirror(mirror, changes, database, settings_, 2);
    if (updated) check_equal(*updated, expected);
    if (!updated) CHECK(mirror.prefixes != expected.prefixes);
    auto grown = grows ? grown_mirror(mirror, changes, database, settings_) : std::nullopt;
    if (grown) {
      ++grown_;
      CHECK(grown->documents() == expected.documents());
      CHECK(grown->terms() == expected.terms());
      CHECK(grown->counts.nonzeros() == expected.counts.nonzeros());
      CHECK(names_in_order(grown->labels) == strings_of(expected.labels.names));
      CHECK(strings_of(grown->labels.in_byte_order().names) == strings_of(expected.labels.names));
      check_equal(compacted_mirror(*grown, settings_, 2), expected);
    }
    mirror = grown ? std::move(*grown) : updated ? std::move(*updated) : expected;
  }

  ChangingDatabase& changing_;
  const Settings& settings_;
  Mirror compact_, growing_;
  int grown_ = 0;
};

/// Returns how often the mirror grew.
int follow_changes(const Settings& settings, unsigned seed) {
  const kindred::test::TemporaryDirectory directory;
  ChangingDatabase changing(directory / "db", seed);
  changing.change(1);
  changing.change(30);
  TwoMirrors mirrors(changing, settings);
  for (int step = 0; step < 60; ++step) {
    CAPTURE(seed, step);
    mirrors.change(step % 7 == 0 ? 200 : 1 + step % 5);
  }
  return mirrors.grown();
}

}  // namespace

TEST_CASE("a mirror that followed its changes equals one that is made from nothing") {
  Settings settings;
  for (const unsigned seed : {1u, 2u, 3u}) CHECK(follow_changes(settings, seed) > 10);
  settings.mirror.term_prefixes = {"ZS", "Z", "K"};
  follow_changes(settings, 5);
}

TEST_CASE("documents that did not change may be read, too") {
  const kindred::test::TemporaryDirectory directory;
  ChangingDatabase changing(directory / "db", 6);
  changing.change(100);
  const Settings settings;
  const Mirror mirror = read_mirror(changing.database(), settings);
  DocumentChanges changes(mirror, settings);
  for (Xapian::docid docid = 1; docid <= 300; ++docid) changes.read(changing.database(), docid);
  const auto updated = updated_mirror(mirror, changes, changing.database(), settings, 2);
  REQUIRE(updated);
  check_equal(*updated, mirror);
}

TEST_CASE("a mirror grows by a label that comes, and by one that loses its last document") {
  const kindred::test::TemporaryDirectory directory;
  Xapian::WritableDatabase database(directory / "db", Xapian::DB_CREATE_OR_OVERWRITE);
  const Settings settings;
  const auto write = [&](Xapian::docid docid, const std::vector<std::string>& labels) {
    Xapian::Document document;
    document.add_term("Zword");
    for (const std::string& label : labels) document.add_boolean_term("K" + label);
    database.replace_document(docid, document);
    database.commit();
  };
  write(1, {"middle"});
  write(2, {"middle", "zone"});
  Mirror mirror = read_mirror(database, settings);
  const auto follow = [&](Xapian::docid docid) {
    DocumentChanges changes(mirror, settings);
    changes.read(database, docid);
    auto grown = grown_mirror(mirror, changes, database, settings);
    REQUIRE(grown);
    mirror = std::move(*grown);
    check_equal(compacted_mirror(mirror, settings, 1), read_mirror(database, settings));
    return names_in_order(mirror.labels);
  };
  write(2, {"first", "middle"});
  CHECK(follow(2) == std::vector<std::string>{"first", "middle"});
  CHECK(mirror.labels.names_of(1) == std::vector<std::string>{"first", "middle"});
  write(3, {"zone", "last"});
  CHECK(follow(3) == std::vector<std::string>{"first", "last", "middle", "zone"});
  write(2, {});
  CHECK(follow(2) == std::vector<std::string>{"last", "middle", "zone"});
}

TEST_CASE(
    "an index that loses its last document is followed, and one that gets its first stem not") {
  const kindred::test::TemporaryDirectory directory;
  Xapian::WritableDatabase database(directory / "db", Xapian::DB_CREATE_OR_OVERWRITE);
  const Settings settings;
  Xapian::Document document;
  document.add_term("word");
  database.add_document(document);
  database.commit();
  const Mirror one = read_mirror(database, settings);
  database.delete_document(1);
  database.commit();
  DocumentChanges deleted(one, settings);
  deleted.read(database, 1);
  const auto none = updated_mirror(one, deleted, database, settings, 1);
  REQUIRE(none);
  check_equal(*none, read_mirror(database, settings));

  document.add_term("Zword");
  database.add_document(document);
  database.commit();
  DocumentChanges stemmed(*none, settings);
  stemmed.read(database, 2);
  CHECK_FALSE(updated_mirror(*none, stemmed, database, settings, 1));
}
