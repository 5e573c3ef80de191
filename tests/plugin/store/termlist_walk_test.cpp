// Every difference between two revisions that a naive copy of the terms finds, the walk finds.
#include <xapian.h>

#include "tests/plugin/store/termlist_walks.h"

using namespace kindred;
using namespace kindred::test::walks;
using test::TemporaryDirectory;

TEST_CASE("a walk finds every document that any writer changed, over any number of revisions",
          "[slow]") {
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

TEST_CASE("one changed document of 20,000 reports few documents", "[slow]") {
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

TEST_CASE_METHOD(WalkedLevels, "deleted documents are in ranges, also where leaves vanished") {
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

TEST_CASE_METHOD(WalkedLevels, "a branch that lost its first leaves begins where it did") {
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

TEST_CASE_METHOD(WalkedLevels, "a tree that loses levels has an old block as its root") {
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

TEST_CASE_METHOD(Walked, "a table may be empty before or after") {
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

TEST_CASE_METHOD(Walked, "docids are packed in two to five bytes") {
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

TEST_CASE_METHOD(Walked,
                 "a long list of terms goes over several leaves, and slots are listed after it",
                 "[slow]") {
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

TEST_CASE_METHOD(
    Walked, "a list of terms that went over several leaves may be short again, and then be gone") {
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
