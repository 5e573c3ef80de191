#include "plugin/mirror/document_segment.h"

#include "plugin/mirror/mirror.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

/// Documents with these docids, one term and this id each; "": d and the docid.
DocumentRows documents(const std::vector<Xapian::docid>& docids, const std::string& id = "") {
  DocumentRows rows;
  rows.docids = docids;
  rows.counts = {1,
                 {0},
                 std::vector<std::uint32_t>(docids.size(), 0),
                 std::vector<std::uint16_t>(docids.size(), 1)};
  for (const Xapian::docid docid : docids) {
    rows.ids.push_back(id.empty() ? "d" + std::to_string(docid) : id);
    rows.counts.row_begin.push_back(rows.counts.row_begin.size());
  }
  rows.ids.index();
  rows.label_begin.assign(docids.size() + 1, 0);
  rows.tagged = rows.marked = RowSet(docids.size());
  return rows;
}

/// A mirror that is only its segments.
Mirror mirror_of(LivingSegments segments) {
  Mirror mirror;
  mirror.dictionary.push_back("Za");
  mirror.dictionary.index();
  mirror.segments = std::move(segments);
  mirror.index_segments();
  return mirror;
}

}  // namespace

TEST_CASE("however documents come and go, there are few segments, with few dead rows") {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr Xapian::docid kDocuments = 30000;
  std::vector<Xapian::docid> all(kDocuments);
  std::iota(all.begin(), all.end(), 1);
  Mirror mirror = mirror_of(cut_into_segments(documents(all), 1));
  for (int i = 0; i < 300; ++i) {
    std::vector<Xapian::docid> changed;
    for (std::uint32_t j = below(i % 40 == 0 ? 6000 : 30); j > 0; --j)
      changed.push_back(1 + below(kDocuments));
    std::ranges::sort(changed);
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const Xapian::docid docid : changed) {
      const auto [segment, row] = mirror.place_of(docid);
      mirror.segments[segment].dead.set(row);
    }
    if (!changed.empty()) mirror.segments.emplace_back(documents(changed));
    merge_segments(mirror.segments);
    mirror.list_segments();
    REQUIRE(mirror.list->numbers() == all);
    CHECK(mirror.segments.size() < 8);
    for (const LivingSegment& each : mirror.segments) CHECK(each.dead.count() * 3 < each.rows());
    const Xapian::docid any = 1 + below(kDocuments);
    CHECK(mirror.documents_with_id("d" + std::to_string(any)) == std::vector{any});
    CHECK(mirror.id_of(any) == "d" + std::to_string(any));
  }
}

TEST_CASE("an id stands for all living documents that have it") {
  using Docids = std::vector<Xapian::docid>;
  LivingSegments segments;
  segments.emplace_back(documents({3, 5}, "same"));
  segments.emplace_back(documents({2, 9}, "same"));
  CHECK(mirror_of(segments).documents_with_id("same") == Docids{2, 3, 5, 9});
  segments[1].dead.set(0);
  segments[0].dead.set(0);
  CHECK(mirror_of(segments).documents_with_id("same") == Docids{5, 9});
  segments[0].dead.set(1);
  CHECK(mirror_of(segments).documents_with_id("same") == Docids{9});
  CHECK(mirror_of(segments).documents_with_id("other").empty());
}
