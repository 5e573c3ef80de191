// Near-duplicates that ingest reports: those that are there when a document has been committed.
#include <xapian.h>

#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::record;

namespace {

Settings comparing(double threshold, std::int64_t threads = 1) {
  Settings settings = test::on_cpu(threads);
  settings.ingest.near_duplicates = threshold;
  settings.weighting.smart = "lnc";  // by which related documents are as near as duplicates
  return settings;
}

/// Texts of which many are alike, and some the same.
std::string drawn_text(unsigned i) {
  static const std::vector<std::string> words = {"cat", "purrs", "tax",    "budget", "income",
                                                 "dog", "bank",  "sleeps", "mat",    "rates"};
  std::string text = "t" + std::to_string(i % 7);
  for (unsigned j = 0; j < 8; ++j) text += " " + words[(i / 3 * (j + 1) + j * j) % words.size()];
  return text + (i % 4 == 0 ? " extra" + std::to_string(i) : "");
}

/// Records of which some replace earlier ones, of this batch and of earlier ones.
std::vector<Record> drawn_records(unsigned count) {
  std::vector<Record> records;
  for (unsigned i = 0; i < count; ++i) {
    const std::string id = "d" + std::to_string(i % 11 == 10 ? i - 5 : i % 160);
    std::vector<std::string> labels;
    if (i % 3 == 0) labels = {i % 2 == 0 ? "animals" : "finance"};
    records.push_back(record(id, drawn_text(i), labels));
  }
  return records;
}

using Nearest = std::optional<std::pair<std::string, float>>;

Nearest nearest_in(const DocumentReport& report) {
  if (!report.near_duplicate) return {};
  return std::pair(report.near_duplicate->id, report.near_duplicate->similarity);
}

/// Each of `reports` of one commit against the results of Engine::related() on what is on disk.
/// `earlier`: the ids that were reported before.
void check_batch(const std::string& path, const Settings& settings,
                 const std::vector<DocumentReport>& reports, const std::set<std::string>& earlier) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < reports.size(); ++i) last[reports[i].id] = i;
  Settings untuned = settings;
  untuned.classify.use_tuning = false;
  const Engine engine(path, untuned);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    CAPTURE(i, reports[i].id);
    CHECK(reports[i].compared == (last.at(reports[i].id) == i));
    Nearest expected;
    RelatedRequest request = test::like({UniqueId{reports[i].id}}, 1000);
    request.feedback = false;
    request.min_similarity = settings.ingest.near_duplicates;
    for (const api::RelatedDocument& other : engine.related(request).results) {
      const auto later = last.find(other.id);
      const bool is_there = later != last.end() ? later->second < i : earlier.contains(other.id);
      if (expected || !is_there) continue;
      expected = {other.id, other.similarity};
    }
    CHECK(nearest_in(reports[i]) == (reports[i].compared ? expected : Nearest{}));
  }
}

/// The reports of all documents. `known`: ids that the database has. Each commit is checked when
/// its last report comes.
std::vector<DocumentReport> checked_reports(const std::string& path, const Settings& settings,
                                            const std::vector<Record>& records,
                                            const std::vector<std::string>& known = {}) {
  std::vector<DocumentReport> all, batch;
  std::set<std::string> earlier(known.begin(), known.end());
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) { batch.push_back(report); };
  options.on_commit = [&](const IngestReport&) {
    check_batch(path, settings, batch, earlier);
    for (const DocumentReport& report : batch) earlier.insert(report.id);
    all.insert(all.end(), batch.begin(), batch.end());
    batch.clear();
  };
  Ingest ingest(path, settings, options);
  for (const Record& each : records) ingest.add(each);
  ingest.commit();
  std::uint64_t found = 0;
  for (const DocumentReport& report : all) found += report.near_duplicate ? 1 : 0;
  CHECK(ingest.report().near_duplicates == found);
  CHECK(ingest.report().uncompared == 0);
  CHECK(batch.empty());
  return all;
}

std::vector<std::string> tags_of(const std::string& path, const Settings& settings) {
  std::vector<std::string> lines;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) {
    lines.push_back(report.id);
    for (const Tag& tag : report.tags)
      lines.back() += " " + tag.label + " " + std::to_string(tag.confidence);
  };
  Ingest ingest(path, settings, options);
  for (const Record& each : drawn_records(900)) ingest.add(each);
  ingest.commit();
  return lines;
}

}  // namespace

TEST_CASE("each document is reported with the one that it is most like, in the index or before it",
          "[slow]") {
  const test::TemporaryDirectory directory;
  Settings settings = comparing(GENERATE(0.3, 0.9, 1.0), GENERATE(1, 4));
  settings.index.batch = 70;
  const auto reports = checked_reports(directory / "db", settings, drawn_records(400));
  CHECK(reports.size() == 400);
  CHECK(std::count_if(reports.begin(), reports.end(),
                      [](const auto& report) { return report.near_duplicate.has_value(); }) > 50);
}

TEST_CASE_METHOD(test::TemporaryPath,
                 "of many copies in one batch each but the first names the first") {
  test::write(path, test::small_collection());
  std::vector<Record> records;
  for (int i = 0; i < 30; ++i) records.push_back(record("c" + std::to_string(i), "ham and eggs"));
  const auto reports = checked_reports(path, comparing(0.95), records);
  CHECK_FALSE(reports[0].near_duplicate);
  for (std::size_t i = 1; i < reports.size(); ++i) {
    REQUIRE(reports[i].near_duplicate);
    CHECK(reports[i].near_duplicate->id == "c0");
    CHECK(reports[i].near_duplicate->similarity == 1.0F);
  }
}

TEST_CASE("tags and terms do not depend on whether near-duplicates are looked for", "[slow]") {
  const test::TemporaryDirectory directory;
  Settings without = comparing(0), with = comparing(0.8);
  without.index.batch = with.index.batch = GENERATE(40, 600);
  without.backend.threads = with.backend.threads = GENERATE(1, 3);
  const auto tags = tags_of(directory / "without", without);
  CHECK(tags.size() == 900);
  CHECK(tags_of(directory / "with", with) == tags);
}

TEST_CASE("an engine that is shared compares, too, and nothing is compared unless asked for") {
  test::Collection collection;
  Engine engine(collection.path, comparing(GENERATE(0.0, 0.9)));
  std::vector<DocumentReport> reports;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) { reports.push_back(report); };
  Ingest ingest(engine, options);
  ingest.add(record("copy", test::small_collection()[3].text));
  ingest.commit();
  REQUIRE(reports.size() == 1);
  const bool asked = engine.settings().ingest.near_duplicates > 0;
  CHECK(reports[0].compared == asked);
  CHECK(reports[0].near_duplicate.has_value() == asked);
  if (asked) CHECK(reports[0].near_duplicate->id == "tax1");
}

TEST_CASE("documents that cannot be compared are written, counted, and the log says why") {
  test::Collection collection;
  std::ofstream(tuning_path(collection.path)) << "damaged";
  std::vector<std::string> said;
  IngestOptions options;
  options.tag = false;
  options.log = [&](const std::string& message) { said.push_back(message); };
  options.on_document = [](const DocumentReport& report) { CHECK_FALSE(report.compared); };
  Ingest ingest(collection.path, comparing(0.9), options);
  ingest.add(record("copy", test::small_collection()[3].text));
  ingest.commit();
  CHECK(ingest.report().added == 1);
  CHECK(ingest.report().uncompared == 1);
  CHECK(ingest.report().near_duplicates == 0);
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("near-duplicates of 1 documents are not known") != std::string::npos);
  CHECK(Xapian::Database(collection.path).term_exists("Qcopy"));
}

TEST_CASE("documents that arrived are compared in the order that is given") {
  test::Collection collection({record("copy", test::small_collection()[3].text),
                               record("again", test::small_collection()[3].text)});
  const Engine engine(collection.path, comparing(0));
  const std::vector<Xapian::docid> arrived = {9, 4, 1234, 8, 4};  // again, tax1, none, copy, tax1
  const auto found = engine.near_duplicates(arrived, 0.9);
  REQUIRE(found.size() == 5);
  CHECK_FALSE(found[0]);
  CHECK_FALSE(found[1]);  // its last place counts
  CHECK_FALSE(found[2]);
  REQUIRE(found[3]);
  CHECK(found[3]->id == "again");
  REQUIRE(found[4]);
  CHECK(found[4]->id == "copy");  // the smaller docid of two that are as similar
  CHECK(engine.near_duplicates({}, 0.9).empty());
  for (const double threshold : {0.0, -1.0, 1.5})
    CHECK(test::code_of([&] { engine.near_duplicates(arrived, threshold); }) ==
          Errc::kInvalidArgument);
}
