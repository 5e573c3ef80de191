// What a label cannot reach is what no brute-force search finds it near to.
#include "plugin/classify/label_reach.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

constexpr std::size_t kNearest = 5;

/// Documents of five topics. Some of the first topic have a label of their own, others have none.
std::vector<Record> with_rare_label() {
  std::vector<Record> records = test::topical_documents(900);
  for (std::size_t i = 0; i < records.size(); i += 15) records[i].labels = {"rare"};
  for (std::size_t i = 1; i < records.size(); i += 11) records[i].labels.clear();
  records.push_back(test::record("empty", ""));
  return records;
}

bool is_labeled(const Snapshot& snapshot, std::uint32_t row, std::uint32_t label) {
  const auto labels = snapshot.mirror().labels.of(row);
  return std::binary_search(labels.begin(), labels.end(), label);
}

/// True if one of the nearest voters of a row, itself left out, has the label.
bool is_near(const Snapshot& snapshot, const RowSet& voters, std::uint32_t row,
             std::uint32_t label) {
  Queries query;
  snapshot.weigh_for_tags(row, query);
  std::size_t seen = 0;
  for (const Neighbor& neighbor :
       snapshot.voting().backend().nearest(query, kNearest + 1, &voters)) {
    if (neighbor.row == Neighbor::kNoRow) break;
    if (neighbor.row == row) continue;
    if (++seen > kNearest) break;
    if (is_labeled(snapshot, neighbor.row, label)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a label reaches every document that has it among its nearest voters, and few others") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", with_rare_label());
  Settings settings = test::untuned();
  settings.weighting.smart = GENERATE("ltc", "ltn");
  const auto snapshot = MirroredDatabase(directory / "db", nullptr, settings, {}).read_snapshot();
  const std::uint32_t label = *snapshot->mirror().labels.names.find("rare");
  RowSet voters = snapshot->mirror().labeled;
  if (GENERATE(false, true))
    for (std::uint32_t row = 1; row < voters.rows(); row += 3) voters.reset(row);
  REQUIRE(LabelReach::is_useful(*snapshot, voters, label));
  const LabelReach reach(*snapshot, voters, label, kNearest, settings.backend);
  std::vector<std::uint32_t> rows, near;
  for (std::uint32_t row = 0; row < snapshot->mirror().rows(); ++row) {
    rows.push_back(row);
    if (is_near(*snapshot, voters, row, label)) near.push_back(row);
  }
  const std::vector<std::uint32_t> within = reach.within_reach(rows);
  REQUIRE_FALSE(near.empty());
  CHECK(std::includes(within.begin(), within.end(), near.begin(), near.end()));
  CHECK(within.size() < rows.size() / 2);
}

TEST_CASE("no other voters are searched for a label that many have") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", with_rare_label());
  const Settings settings = test::untuned();
  const auto snapshot = MirroredDatabase(directory / "db", nullptr, settings, {}).read_snapshot();
  const Mirror& mirror = snapshot->mirror();
  CHECK_FALSE(
      LabelReach::is_useful(*snapshot, mirror.labeled, *mirror.labels.names.find("label1")));
}
