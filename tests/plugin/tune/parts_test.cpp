// Which documents classify which others.
#include "plugin/tune/parts.h"

#include "gpu/document_set.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "plugin/tune/forward_fit.h"
#include "plugin/tune/halves.h"
#include "plugin/tune/leakage.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/made_mirror.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

/// A snapshot of some records.
struct SnapshotOf {
  explicit SnapshotOf(const std::vector<Record>& records) : path(directory / "db") {
    test::write(path, records);
    snapshot.emplace(read_mirror(open_database(path), settings), settings);
  }

  /// Documents to classify, by all but companions.
  Part apart(std::vector<Xapian::docid> docids,
             const std::vector<std::vector<Xapian::docid>>& groups = {}) {
    const DocumentSet& voters = snapshot->mirror().labeled;
    Part part{std::move(docids), voters, voters};
    keep_apart(relatives(part.docids).leaks, {&part, 1});
    keep_apart(groups, {&part, 1});
    return part;
  }

  Relatives relatives(const std::vector<Xapian::docid>& docids) {
    const DocumentSet& voters = snapshot->mirror().labeled;
    DriftMeasure drift(snapshot->mirror(), voters);
    return relatives_of(*snapshot, voters, docids, label_likeness(*snapshot, voters, 4000, 0),
                        drift);
  }

  test::TemporaryDirectory directory;
  std::string path;
  Settings settings = test::untuned();
  std::optional<Snapshot> snapshot;
};

/// Documents 1 to `count` of a mirror that has no others.
DocumentSet all(std::uint32_t count) {
  return DocumentSet::all(test::labeled_mirror(count, [](auto) { return 0; }).list);
}

std::vector<Xapian::docid> missing(const DocumentSet& documents) {
  std::vector<Xapian::docid> others = documents.mirror().numbers();
  std::erase_if(others, [&](Xapian::docid docid) { return documents.has(docid); });
  return others;
}

/// Documents that have nothing in common but one term.
std::vector<Record> strangers(std::size_t count) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string own = std::to_string(i);
    records.push_back(test::record("d" + own, "own" + own + "a own" + own + "b common", {"label"}));
  }
  return records;
}

}  // namespace

TEST_CASE("documents are dealt into folds of equal size, the same for the same seed") {
  const DocumentSet voters = all(68);
  const std::vector<Part> a = split_voters(voters, 5, 68, 3), b = split_voters(voters, 5, 68, 3);
  for (std::size_t fold = 0; fold < 5; ++fold) {
    CHECK(a[fold].docids == b[fold].docids);
    CHECK((a[fold].docids.size() == 13 || a[fold].docids.size() == 14));
    CHECK(missing(a[fold].teaching) == a[fold].docids);
    CHECK(a[fold].voting == voters);
  }
  CHECK(split_voters(voters, 5, 68, 4).front().docids != a.front().docids);
}

TEST_CASE("where few voters are classified, the others teach all parts") {
  const std::vector<Part> parts = split_voters(all(100), 5, 20, 0);
  std::vector<Xapian::docid> classified;
  for (const Part& part : parts) {
    CHECK(part.docids.size() == 4);
    CHECK(part.teaching == parts.front().teaching);
    classified.insert(classified.end(), part.docids.begin(), part.docids.end());
  }
  std::ranges::sort(classified);
  CHECK(missing(parts.front().teaching) == classified);
}

TEST_CASE("the latest documents are classified by earlier ones, unless docids follow subjects") {
  const bool sorted = GENERATE(false, true);
  const Mirror mirror =
      test::labeled_mirror(100, [&](std::uint32_t row) { return sorted ? row / 50 : row % 2; });
  const Part part = latest(mirror, mirror.labeled, 100, 0);
  const std::vector<Xapian::docid> tenth = {91, 92, 93, 94, 95, 96, 97, 98, 99, 100};
  CHECK(part.docids == (sorted ? std::vector<Xapian::docid>{} : tenth));
  CHECK(missing(part.voting) == tenth);
  CHECK(part.teaching == part.voting);
  CHECK(latest(mirror, mirror.labeled, 4, 0).docids.size() == (sorted ? 0 : 4));
}

TEST_CASE("near-duplicates and documents of a group neither vote nor teach") {
  std::vector<Record> records = strangers(80);
  records[70].text = records[4].text;
  SnapshotOf collection(records);
  const Part part = collection.apart({5, 8}, {{8, 12, 31}, {13, 14}});
  CHECK(missing(part.voting) == std::vector<Xapian::docid>{8, 12, 31, 71});
  CHECK(part.teaching == part.voting);
}

TEST_CASE("if half of the documents are repeated, near-duplicates stay") {
  std::vector<Record> records = strangers(80);
  for (const std::size_t i : {70U, 71U}) records[i].text = records[4].text;
  SnapshotOf collection(records);
  CHECK(missing(collection.apart({6, 7, 71}).voting) == std::vector<Xapian::docid>{5, 72});
  CHECK(missing(collection.apart({6, 71}).voting).empty());
  CHECK(missing(collection.apart({6, 71}, {{6, 7}}).voting) == std::vector<Xapian::docid>{6, 7});
}

TEST_CASE("documents of one source do not vote if they came soon after each other") {
  std::vector<Record> records = strangers(80);
  for (const std::size_t i : {10U, 42U, 43U}) records[i].text += " thread1x thread2x";
  SnapshotOf collection(records);
  CHECK(missing(collection.apart({11}).voting) == std::vector<Xapian::docid>{43});
  CHECK(missing(collection.apart({44}).voting) == std::vector<Xapian::docid>{43});
}

TEST_CASE("what all documents of a label have in common makes none a near-duplicate of another") {
  std::vector<Record> records = strangers(80);
  for (std::size_t i = 0; i < 80; ++i) {
    const std::string label = "label" + std::to_string(i % 8);
    for (const char* word : {" a", " b", " c", " d", " e"}) records[i].text += word + label + "x";
    records[i].labels = {label};
  }
  SnapshotOf collection(records);
  const DocumentSet& voters = collection.snapshot->mirror().labeled;
  CHECK(label_likeness(*collection.snapshot, voters, 4000, 0) > .3);
  CHECK(missing(collection.apart({5, 50}).voting).empty());
}

TEST_CASE("of each label a half has every second document, and the first") {
  const Mirror mirror = test::labeled_mirror(21, [](std::uint32_t row) { return row % 3; });
  const DocumentSet half = half_of(mirror.labeled, {});
  CHECK(missing(half) == std::vector<Xapian::docid>{4, 5, 6, 10, 11, 12, 16, 17, 18});
}

TEST_CASE("siblings come into one half, and may be far apart") {
  std::vector<Record> records = strangers(200);
  for (const std::size_t i : {10U, 90U, 170U}) records[i].text += " source1x source2x";
  for (std::size_t i = 0; i < 200; ++i) records[i].labels = {"label" + std::to_string(i % 2)};
  SnapshotOf collection(records);
  const DocumentSet& voters = collection.snapshot->mirror().labeled;
  const Companions siblings = collection.relatives(voters.numbers()).siblings;
  CHECK(siblings.at(11).size() == 2);
  CHECK_FALSE(siblings.contains(172));

  const DocumentSet half = half_of(voters, siblings);
  CHECK(half.has(11) == half.has(91));
  CHECK(half.has(11) == half.has(171));
  CHECK(half.count() == 100);
}

TEST_CASE("a source of more than half of a label is cut, so that each half has the label") {
  const Mirror mirror = test::labeled_mirror(20, [](std::uint32_t row) { return row / 10; });
  Companions siblings;
  for (Xapian::docid docid = 1; docid < 10; ++docid) siblings[docid] = {docid + 1};
  const std::vector<Xapian::docid> others = missing(half_of(mirror.labeled, siblings));
  CHECK(others.size() == 9);
  CHECK(std::ranges::count_if(others, [](Xapian::docid docid) { return docid <= 10; }) == 4);
}

TEST_CASE("a label has a counterpart if all its documents vote on a part") {
  const Mirror mirror = test::labeled_mirror(20, [](std::uint32_t row) { return row / 5; });
  std::vector<Part> parts = {{{1}, mirror.labeled, mirror.labeled},
                             {{7}, mirror.labeled, mirror.labeled}};
  parts[1].voting.erase(7);
  draw_counterparts(mirror.labeled, 5, parts);
  for (std::uint32_t label = 0; label < 4; ++label)
    CHECK(mirror.labels_of(parts[0].counterparts[label]).front() == label);
  CHECK(parts[0].counterparts[4] == kNoDocument);  // no document has it
  CHECK(parts[1].counterparts[1] == kNoDocument);  // one of its documents is gone already
}
