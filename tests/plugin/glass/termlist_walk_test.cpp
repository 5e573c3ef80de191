// Every difference between two revisions that a naive copy of the terms finds, the walk finds.
#include "plugin/glass/termlist_walk.h"

#include <fcntl.h>
#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

using Random = std::independent_bits_engine<std::mt19937, 32, std::uint32_t>;

constexpr int kSmallBlock = 2048;

/// The terms of a document with their wdf, and its used value slots, as "\0" and the number.
using Content = std::map<std::string, unsigned>;
using Contents = std::map<Xapian::docid, Content>;

Contents contents_of(const std::string& path) {
  Contents contents;
  const Xapian::Database database(path);
  for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it) {
    Content& content = contents[*it];
    for (auto term = database.termlist_begin(*it); term != database.termlist_end(*it); ++term) {
      content[*term] = term.get_wdf();
    }
    const Xapian::Document document = database.get_document(*it);
    for (auto slot = document.values_begin(); slot != document.values_end(); ++slot) {
      content[std::string(1, '\0') + std::to_string(slot.get_valueno())] = 1;
    }
  }
  return contents;
}

bool is_present(const TermlistChanges& changes, Xapian::docid document) {
  return std::binary_search(changes.present.begin(), changes.present.end(), document);
}

bool is_in_ranges(const TermlistChanges& changes, Xapian::docid document) {
  return std::any_of(changes.ranges.begin(), changes.ranges.end(), [&](const DocidRange& each) {
    return each.first <= document && document <= each.last;
  });
}

TermlistState state_of(const std::string& path) {
  std::string why;
  auto state = read_termlist_state(path, why);
  CAPTURE(why);
  REQUIRE(state);
  return *state;
}

TermlistChanges changes_since(const std::string& path, const TermlistState& before) {
  std::string why;
  auto changes = walk_changes(path, before, why);
  CAPTURE(why);
  REQUIRE(changes);
  return *changes;
}

std::string refusal(const std::string& path, const TermlistState& before) {
  std::string why;
  CHECK_FALSE(walk_changes(path, before, why));
  return why;
}

/// The numbers of the documents for which the walk says something wrong.
std::vector<Xapian::docid> mistakes(const TermlistChanges& changes, const Contents& before,
                                    const Contents& now) {
  std::vector<Xapian::docid> wrong;
  for (const auto& [document, content] : before) {
    const auto found = now.find(document);
    const bool is_gone = is_in_ranges(changes, document) && !is_present(changes, document);
    if (found == now.end() ? !is_gone : is_gone) wrong.push_back(document);
    if (found != now.end() && found->second != content && !is_present(changes, document)) {
      wrong.push_back(document);
    }
  }
  for (const auto& [document, content] : now) {
    if (before.count(document) == 0 && !is_present(changes, document)) wrong.push_back(document);
  }
  for (const Xapian::docid document : changes.present) {
    if (now.count(document) == 0) wrong.push_back(document);
  }
  return wrong;
}

bool is_same(const TermlistState& a, const TermlistState& b) {
  const auto leaves_equal = [](const TermlistState::Leaf& x, const TermlistState::Leaf& y) {
    return x.block == y.block && x.begin == y.begin;
  };
  const auto branches_equal = [](const TermlistState::Branch& x, const TermlistState::Branch& y) {
    return x.block == y.block && x.level == y.level && x.first_leaf == y.first_leaf &&
           x.leaves == y.leaves;
  };
  return a.uuid == b.uuid && a.revision == b.revision && a.device == b.device &&
         a.inode == b.inode && a.root == b.root && a.documents == b.documents &&
         std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(),
                    leaves_equal) &&
         std::equal(a.branches.begin(), a.branches.end(), b.branches.begin(), b.branches.end(),
                    branches_equal);
}

/// Checks the walk from a state to the present against the contents at both, and that the state it
/// gives is the one that reading gives.
TermlistChanges check_walk(const std::string& path, const TermlistState& before,
                           const Contents& contents_before, const Contents& contents_now) {
  TermlistChanges changes = changes_since(path, before);
  CHECK(mistakes(changes, contents_before, contents_now) == std::vector<Xapian::docid>{});
  CHECK(is_same(changes.now, state_of(path)));
  CHECK(still_at(path, changes.now));
  return changes;
}

TermlistChanges check_walk(const std::string& path, const TermlistState& before,
                           const Contents& contents_before) {
  return check_walk(path, before, contents_before, contents_of(path));
}

Xapian::WritableDatabase create(const std::string& path, int block = kSmallBlock, int flags = 0) {
  return Xapian::WritableDatabase(
      path, Xapian::DB_CREATE_OR_OVERWRITE | Xapian::DB_BACKEND_GLASS | flags, block);
}

/// Terms that hardly compress.
Xapian::Document make_document(Random& random, unsigned terms, bool has_value = false) {
  Xapian::Document document;
  for (unsigned i = 0; i < terms; ++i) {
    document.add_term(std::to_string(random()) + std::to_string(random()), 1 + random() % 3);
  }
  if (has_value) document.add_value(static_cast<Xapian::valueno>(random() % 20), "value");
  return document;
}

void fill(Xapian::WritableDatabase& database, Random& random, unsigned documents, unsigned terms) {
  for (unsigned i = 0; i < documents; ++i) {
    database.add_document(make_document(random, terms, i % 3 == 0));
  }
  database.commit();
}

/// A database whose termlist table has the given number of levels above the leaves at least.
Xapian::WritableDatabase create_with_levels(const std::string& path, Random& random,
                                            unsigned levels) {
  Xapian::WritableDatabase database = create(path);
  do fill(database, random, 1000, 6);
  while (state_of(path).root.level < levels);
  return database;
}

/// One step of a writer who does all sorts of things.
void change(Xapian::WritableDatabase& database, Random& random) {
  const Xapian::docid last = database.get_lastdocid();
  const auto any = [&] { return static_cast<Xapian::docid>(1 + random() % (last + 1)); };
  const auto erase = [&](Xapian::docid document) {
    try {
      database.delete_document(document);
    } catch (const Xapian::DocNotFoundError&) {
    }
  };
  switch (random() % 12) {
    case 0:  // appended
    case 1:
      for (unsigned i = random() % 40; i > 0; --i) {
        database.add_document(make_document(random, random() % 30, random() % 2 == 0));
      }
      break;
    case 2:  // with a long list of terms
      database.replace_document(any(), make_document(random, 200 + random() % 2000, true));
      break;
    case 3:  // without terms
      database.replace_document(any(), Xapian::Document());
      break;
    case 4:
    case 5:
      for (unsigned i = random() % 10; i > 0; --i) erase(any());
      break;
    case 6: {  // a run of documents, so that leaves vanish
      const Xapian::docid first = any();
      const Xapian::docid end = first + static_cast<Xapian::docid>(random() % 400);
      for (Xapian::docid i = first; i < end; ++i) erase(i);
      break;
    }
    case 7:  // far away
      database.replace_document(last + static_cast<Xapian::docid>(random() % 5000),
                                make_document(random, 20));
      break;
    case 8:  // many
      for (Xapian::docid i = any(); i <= last; i += 1 + random() % 50) {
        database.replace_document(i, make_document(random, 5, random() % 2 == 0));
      }
      break;
    case 9:  // only the slots
      for (Xapian::docid i = any(); i <= last && random() % 20 != 0; ++i) {
        try {
          Xapian::Document document = database.get_document(i);
          document.clear_values();
          if (random() % 2 == 0) document.add_value(static_cast<Xapian::valueno>(random()), "v");
          database.replace_document(i, document);
        } catch (const Xapian::DocNotFoundError&) {
        }
      }
      break;
    default:  // relabeled
      for (unsigned i = random() % 10; i > 0; --i) {
        try {
          const Xapian::docid which = any();
          Xapian::Document document = database.get_document(which);
          document.add_boolean_term("K" + std::to_string(random() % 9));
          database.replace_document(which, document);
        } catch (const Xapian::DocNotFoundError&) {
        }
      }
  }
  database.set_metadata("step", std::to_string(random()));
  database.commit();
}

}  // namespace

TEST_CASE("a walk finds every document that any writer changed, over any number of revisions") {
  const unsigned seed = GENERATE(1U, 2U);
  const int block = seed == 2 ? 8192 : kSmallBlock;
  CAPTURE(seed, block);
  Random random(seed);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path, block);
  fill(database, random, 1500, 10);
  std::vector<std::pair<TermlistState, Contents>> past = {{state_of(path), contents_of(path)}};
  for (int revision = 0; revision < 40; ++revision) {
    CAPTURE(revision);
    change(database, random);
    Contents now = contents_of(path);
    for (std::size_t back = 1; back <= std::min<std::size_t>(past.size(), 6); ++back) {
      CAPTURE(back);
      const auto& [state, contents] = past[past.size() - back];
      check_walk(path, state, contents, now);
    }
    past.emplace_back(state_of(path), std::move(now));
  }
}

TEST_CASE("one changed document of 20,000 reports few documents") {
  Random random(4);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path, 8192);
  fill(database, random, 20000, 5);
  for (const unsigned skipped : {0U, 3U}) {
    CAPTURE(skipped);
    TermlistState before = state_of(path);
    const Contents contents = contents_of(path);
    for (unsigned i = 0; i <= skipped; ++i) {
      database.replace_document(10000, make_document(random, 5));
      database.commit();
    }
    TermlistChanges changes = check_walk(path, before, contents);
    CHECK(is_present(changes, 10000));
    CHECK(changes.present.size() < 200);
    if (skipped == 0) CHECK(changes.present.size() == 1);

    before = changes.now;
    const Xapian::docid added = database.add_document(make_document(random, 5));
    database.commit();
    changes = changes_since(path, before);
    CHECK(changes.present == std::vector<Xapian::docid>{added});
    CHECK(changes.ranges.empty());

    before = changes.now;
    database.delete_document(added - 1);
    database.commit();
    changes = changes_since(path, before);
    CHECK(changes.present.empty());
    REQUIRE(changes.ranges.size() == 1);
    CHECK(changes.ranges[0].first == added - 1);
    CHECK(changes.ranges[0].last == added - 1);
  }
}

TEST_CASE("deleted documents are in ranges, also where leaves vanished") {
  Random random(5);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create_with_levels(path, random, 2);
  const Xapian::docid last = database.get_lastdocid();
  const auto [first, end] = GENERATE_COPY(std::pair<Xapian::docid, Xapian::docid>(1, 2),
                                          std::pair<Xapian::docid, Xapian::docid>(1, 500),
                                          std::pair<Xapian::docid, Xapian::docid>(300, 900),
                                          std::pair<Xapian::docid, Xapian::docid>(last, last + 1),
                                          std::pair<Xapian::docid, Xapian::docid>(900, last + 1));
  CAPTURE(first, end);
  const TermlistState before = state_of(path);
  const Contents contents = contents_of(path);
  for (Xapian::docid i = first; i < end; ++i) database.delete_document(i);
  database.commit();
  const TermlistChanges changes = check_walk(path, before, contents);
  CHECK(is_in_ranges(changes, first));
  CHECK_FALSE(is_present(changes, first));
  if (end - first > 400) CHECK(changes.now.leaves.size() < before.leaves.size());

  // The leaves beside the gap take documents again.
  database.replace_document(first, make_document(random, 5));
  database.replace_document((first + end) / 2, make_document(random, 5));
  database.commit();
  Contents without = contents;
  without.erase(without.lower_bound(first), without.lower_bound(end));
  check_walk(path, changes.now, without);
  check_walk(path, before, contents);
}

TEST_CASE("a branch that lost its first leaves begins where it did") {
  Random random(19);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create_with_levels(path, random, 2);
  TermlistState before = state_of(path);
  const TermlistState::Branch& second = before.branches.at(2);
  REQUIRE(second.level == 1);
  const Xapian::docid first = before.leaves.at(second.first_leaf).begin.document;
  const Xapian::docid end = before.leaves.at(second.first_leaf + 3).begin.document;
  Contents contents = contents_of(path);
  for (Xapian::docid i = first; i < end; ++i) database.delete_document(i);
  database.commit();
  before = check_walk(path, before, contents).now;

  contents = contents_of(path);
  for (Xapian::docid i = first; i < first + 5; ++i) {
    database.replace_document(i, make_document(random, 3));
  }
  database.commit();
  before = check_walk(path, before, contents).now;

  contents = contents_of(path);
  for (Xapian::docid i = first; i < first + 5; ++i) database.delete_document(i);
  database.commit();
  check_walk(path, before, contents);
}

TEST_CASE("a tree that loses levels has an old block as its root") {
  Random random(6);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create_with_levels(path, random, 2);
  const TermlistState before = state_of(path);
  const Contents contents = contents_of(path);
  // Few are left, which nobody touched.
  for (Xapian::docid i = 60; i <= database.get_lastdocid(); ++i) database.delete_document(i);
  database.set_metadata("so that the posting lists", "have a new root");
  database.commit();
  const TermlistChanges changes = check_walk(path, before, contents);
  CHECK(changes.now.root.level < before.root.level);
  CHECK(changes.present.size() < 60);
}

TEST_CASE("a table may be empty before or after") {
  Random random(7);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  database.commit();
  const TermlistState empty = state_of(path);
  CHECK(empty.root.is_fake);
  CHECK(empty.documents == 0);

  fill(database, random, 300, 5);
  const TermlistState full = state_of(path);
  const Contents contents = contents_of(path);
  CHECK(check_walk(path, empty, {}).present.size() == 300);

  for (Xapian::docid i = 1; i <= 300; ++i) database.delete_document(i);
  database.commit();
  const TermlistChanges changes = check_walk(path, full, contents);
  CHECK(changes.present.empty());
  CHECK(is_in_ranges(changes, 1));
  CHECK(is_in_ranges(changes, 300));

  fill(database, random, 10, 5);
  check_walk(path, changes.now, {});
  check_walk(path, empty, {});
}

TEST_CASE("docids are packed in two to five bytes") {
  Random random(8);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  const std::vector<Xapian::docid> borders = {1,        0x80,     0x100,    0x7f00,     0x8000,
                                              0x10000,  0x3fff00, 0x400000, 0x1fffff00, 0x20000000,
                                              1U << 24, 1U << 30, 1U << 31, 0xffffff00U};
  for (const Xapian::docid border : borders) {
    for (Xapian::docid i = 0; i < 80; ++i) {
      database.replace_document(border + i, make_document(random, 8, i % 2 == 0));
    }
  }
  for (Xapian::docid i = 0x7fc0; i < 0x8040; ++i) {
    database.replace_document(i, make_document(random, 8, i % 2 == 0));
  }
  database.replace_document(0xffffffffU, make_document(random, 8));
  database.commit();
  TermlistState before = state_of(path);
  for (const Xapian::docid border : borders) {
    CAPTURE(border);
    const Contents contents = contents_of(path);
    database.replace_document(border + 40, make_document(random, 8));
    database.delete_document(border + 50);
    database.commit();
    const TermlistChanges changes = check_walk(path, before, contents);
    CHECK(is_present(changes, border + 40));
    CHECK(changes.present.size() < 80);
    before = changes.now;
  }
}

TEST_CASE("a long list of terms goes over several leaves, and slots are listed after it") {
  Random random(9);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 100, 5);
  for (Xapian::docid i = 20; i < 60; i += 4) {
    database.replace_document(i, make_document(random, 1000 + 5 * i, true));
  }
  database.commit();
  TermlistState before = state_of(path);
  CHECK(std::any_of(before.leaves.begin(), before.leaves.end(),
                    [](const TermlistState::Leaf& leaf) { return leaf.begin.is_inside; }));
  Contents contents = contents_of(path);
  const auto check_commit = [&] {
    database.commit();
    Contents now = contents_of(path);
    before = check_walk(path, before, contents, now).now;
    contents = std::move(now);
  };
  for (Xapian::docid i = 18; i < 63; ++i) {
    CAPTURE(i);
    Xapian::Document document = database.get_document(i);
    document.clear_values();
    for (Xapian::valueno slot = 0; slot < i * 7; ++slot) document.add_value(slot * slot, "v");
    database.replace_document(i, document);
    check_commit();
    document.clear_values();
    database.replace_document(i, document);
    check_commit();
    if (i % 3 != 0) continue;
    database.delete_document(i);
    check_commit();
  }
}

TEST_CASE("a list of terms that went over several leaves may be short again, and then be gone") {
  Random random(20);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 200, 5);
  for (Xapian::docid i = 10; i < 200; i += 10) {
    database.replace_document(i, make_document(random, 200 + i));
  }
  database.commit();
  for (Xapian::docid i = 10; i < 200; i += 10) {
    CAPTURE(i);
    const TermlistState is_long = state_of(path);
    const Contents contents_long = contents_of(path);
    database.replace_document(i, make_document(random, 3));
    database.commit();
    const Contents contents_short = contents_of(path);
    const TermlistState is_short = check_walk(path, is_long, contents_long, contents_short).now;
    database.delete_document(i);
    database.commit();
    const Contents now = contents_of(path);
    check_walk(path, is_short, contents_short, now);
    check_walk(path, is_long, contents_long, now);
  }
}

TEST_CASE("blocks have 2 to 64 KB") {
  const int block = GENERATE(2048, 4096, 8192, 16384, 32768, 65536);
  CAPTURE(block);
  Random random(10);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path, block);
  fill(database, random, 3000, 12);
  const TermlistState before = state_of(path);
  CHECK(before.root.block_size == static_cast<std::uint32_t>(block));
  CHECK(before.leaves.size() > 2);
  CHECK(before.documents == 3000);
  const Contents contents = contents_of(path);
  database.replace_document(1500, make_document(random, 3000, true));
  for (Xapian::docid i = 700; i < 1400; ++i) database.delete_document(i);
  database.commit();
  check_walk(path, before, contents);
}

TEST_CASE("a revision that is still current has no changes") {
  Random random(11);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 100, 5);
  const TermlistState before = state_of(path);
  CHECK(before.uuid == database.get_uuid());
  CHECK(before.revision == database.get_revision());
  const TermlistChanges same = changes_since(path, before);
  CHECK(same.present.empty());
  CHECK(same.ranges.empty());
  CHECK(still_at(path, before));

  database.set_metadata("only", "the posting lists");
  database.commit();
  CHECK_FALSE(still_at(path, before));
  const TermlistChanges other = changes_since(path, before);
  CHECK(other.present.empty());
  CHECK(other.ranges.empty());
  CHECK(other.now.revision == before.revision + 1);
}

TEST_CASE("a writer who changes blocks in place is noticed") {
  Random random(12);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  {
    Xapian::WritableDatabase database = create(path);
    fill(database, random, 300, 5);
  }
  const TermlistState before = state_of(path);
  const unsigned documents = GENERATE(0U, 1U, 20U, 3000U, 20000U);
  CAPTURE(documents);
  Xapian::WritableDatabase dangerous(path, Xapian::DB_OPEN | Xapian::DB_DANGEROUS);
  dangerous.replace_document(5, make_document(random, 2));
  fill(dangerous, random, documents, 5);
  CHECK(refusal(path, before).find("in place") != std::string::npos);
  dangerous.close();

  // After an ordinary commit the number of documents tells it if no block of the table is new, and
  // blocks that are new to the tree, with an old revision, if there are some.
  if (documents == 0) return;
  Xapian::WritableDatabase ordinary(path, Xapian::DB_OPEN);
  ordinary.set_metadata("key", "value");
  ordinary.commit();
  CHECK_FALSE(refusal(path, before).empty());
  if (documents < 3000) return;
  ordinary.replace_document(1, make_document(random, 5));
  ordinary.commit();
  CHECK_FALSE(refusal(path, before).empty());
}

TEST_CASE("a compacted or overwritten database is another one") {
  Random random(13);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  {
    Xapian::WritableDatabase database = create(path);
    fill(database, random, 300, 5);
  }
  const TermlistState before = state_of(path);
  Xapian::Database(path).compact(directory / "compact");
  CHECK_FALSE(still_at(directory / "compact", before));
  CHECK(refusal(directory / "compact", before) == "it is another database");
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 300, 5);
  CHECK(refusal(path, before) == "it is another database");
}

TEST_CASE("a restored or replaced database is another one") {
  Random random(14);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 300, 5);
  fs::copy(path, directory / "backup");
  const TermlistState old = state_of(path);
  database.delete_document(7);
  database.commit();
  const TermlistState before = state_of(path);
  database.close();

  SECTION("beside it") {
    fs::rename(path, directory / "away");
    fs::copy(directory / "backup", path);
    CHECK_FALSE(still_at(path, old));
    CHECK(refusal(path, before) == "its files were replaced");
    CHECK(refusal(path, old) == "its files were replaced");
  }
  SECTION("over its files") {
    for (const auto& file : fs::directory_iterator(directory / "backup")) {
      fs::copy_file(file.path(), fs::path(path) / file.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
    CHECK(still_at(path, old));
    CHECK(refusal(path, before) == "it went back to an older revision");
  }
  SECTION("over its files, and changed otherwise") {
    for (const auto& file : fs::directory_iterator(directory / "backup")) {
      fs::copy_file(file.path(), fs::path(path) / file.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
    Xapian::WritableDatabase again(path, Xapian::DB_OPEN);
    fill(again, random, 3, 5);
    CHECK(refusal(path, before) == "the same revision has another content");
    Contents without = contents_of(path);
    without.erase(without.upper_bound(300), without.end());
    check_walk(path, old, without);
  }
}

TEST_CASE("what is no glass database with termlists cannot be walked, and it says why") {
  Random random(15);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  {
    Xapian::WritableDatabase database = create(path);
    fill(database, random, 50, 5);
  }
  const TermlistState before = state_of(path);
  const auto why_not = [&](const std::string& name) {
    std::string why;
    CHECK_FALSE(read_termlist_state(directory / name, why));
    CHECK_FALSE(still_at(directory / name, before));
    CHECK(refusal(directory / name, before) == why);
    return why;
  };
  CHECK(why_not("nothing") == "it is not a folder with a glass database");

  Xapian::Database(path).compact(directory / "single", Xapian::DBCOMPACT_SINGLE_FILE);
  CHECK(why_not("single") == "it is not a folder with a glass database");

  std::ofstream(directory / "stub") << "auto " << path << "\n";
  CHECK(why_not("stub") == "it is not a folder with a glass database");

  Xapian::WritableDatabase without =
      create(directory / "without", kSmallBlock, Xapian::DB_NO_TERMLIST);
  fill(without, random, 50, 5);
  CHECK(why_not("without").find("termlist") != std::string::npos);

  const std::string header = test::file_text(path + "/iamglass");
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path + "/iamglass", std::ios::binary) << bytes;
  };
  put("\x0f\x0dXapian Honey" + header.substr(14));
  CHECK(why_not("db") == "it is no glass database");
  put(header.substr(0, 15) + '\x6f' + header.substr(16));
  CHECK(why_not("db") == "the version of its format is not known");
  put(header);
  CHECK(still_at(path, before));

  fs::rename(path + "/termlist.glass", directory / "termlist");
  CHECK(why_not("db").find("termlist.glass cannot be read") != std::string::npos);
  fs::create_directory(path + "/termlist.glass");
  CHECK(why_not("db").find("termlist.glass cannot be read") != std::string::npos);
}

TEST_CASE("a database may be walked while others write to it") {
  Random random(16);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create(path);
  fill(database, random, 1500, 8);
  TermlistState state = state_of(path);
  Contents contents = contents_of(path);
  std::atomic<bool> is_done = false;
  const std::jthread writer([&] {
    Random numbers(17);
    for (unsigned i = 0; i < 60; ++i) {
      change(database, numbers);
      std::this_thread::sleep_for(std::chrono::milliseconds(numbers() % 30));
    }
    is_done = true;
  });
  bool is_proven = false;
  for (bool is_last = false; !is_last;) {
    is_last = is_done;
    std::string why;
    const auto changes = walk_changes(path, state, why);
    Contents now;
    try {
      now = contents_of(path);
    } catch (const Xapian::Error&) {  // overtaken
    }
    is_proven = changes && still_at(path, changes->now);
    if (!is_proven) continue;
    CHECK(mistakes(*changes, contents, now) == std::vector<Xapian::docid>{});
    state = changes->now;
    contents = std::move(now);
  }
  CHECK(is_proven);
}

TEST_CASE("damage gives a result or a reason, and no crash") {
  Random random(18);
  const TemporaryDirectory directory;
  const std::string path = directory / "db";
  Xapian::WritableDatabase database = create_with_levels(path, random, 2);
  const TermlistState before = state_of(path);
  for (int i = 0; i < 3; ++i) change(database, random);
  for (Xapian::docid i = 1; i < 2000; i += 40) {
    database.replace_document(i, make_document(random, 5));
  }
  database.commit();
  const bool follows = GENERATE(true, false);  // all blocks but one are skipped, or headers read
  const TermlistState close = follows ? state_of(path) : before;
  if (follows) {
    for (Xapian::docid i = 1; i < 2000; i += 40) {
      database.replace_document(i, make_document(random, 5));
    }
    database.commit();
  }
  const std::string file = path + "/termlist.glass";
  const std::string header = test::file_text(path + "/iamglass");
  const std::string bytes = test::file_text(file);
  const int handle = ::open(file.c_str(), O_RDWR);
  REQUIRE(handle >= 0);
  int refused = 0;
  const auto try_all = [&] {
    std::string why;
    const auto state = read_termlist_state(path, why);
    if (state) CHECK(state->leaves.size() <= bytes.size());
    std::string why_not;
    const auto changes = walk_changes(path, close, why_not);
    if (changes) {
      CHECK(std::is_sorted(changes->present.begin(), changes->present.end()));
    } else {
      ++refused;
      CHECK_FALSE(why_not.empty());
    }
  };
  for (int i = 0; i < 3000; ++i) {
    // Half of the damage goes to the beginning of blocks, where their directory is.
    std::size_t at = random() % bytes.size();
    if (i % 2 == 0) at = at / kSmallBlock * kSmallBlock + random() % 64;
    const std::size_t size = std::min<std::size_t>(1 + random() % 8, bytes.size() - at);
    std::string damage = bytes.substr(at, size);
    for (char& byte : damage) byte = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    REQUIRE(pwrite(handle, damage.data(), size, static_cast<off_t>(at)) ==
            static_cast<ssize_t>(size));
    try_all();
    REQUIRE(pwrite(handle, bytes.data() + at, size, static_cast<off_t>(at)) ==
            static_cast<ssize_t>(size));
  }
  // A block in the place of another one, as if it had been overwritten.
  for (int i = 0; i < 500; ++i) {
    const std::size_t blocks = bytes.size() / kSmallBlock;
    const std::size_t at = random() % blocks * kSmallBlock;
    const std::size_t from = random() % blocks * kSmallBlock;
    REQUIRE(pwrite(handle, bytes.data() + from, kSmallBlock, static_cast<off_t>(at)) ==
            kSmallBlock);
    try_all();
    REQUIRE(pwrite(handle, bytes.data() + at, kSmallBlock, static_cast<off_t>(at)) == kSmallBlock);
  }
  CHECK(refused > 0);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(ftruncate(handle, static_cast<off_t>(random() % bytes.size())) == 0);
    try_all();
    REQUIRE(pwrite(handle, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  for (std::size_t i = 0; i < 4 * header.size(); ++i) {
    std::string damaged = header;
    if (i < header.size()) {
      damaged.resize(i);
    } else {
      damaged[i % header.size()] = static_cast<char>(random());
    }
    std::ofstream(path + "/iamglass", std::ios::binary) << damaged;
    try_all();
  }
  ::close(handle);
}
