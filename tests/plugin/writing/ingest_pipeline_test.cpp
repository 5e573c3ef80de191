// Ingest with threads: order, transactions, reports, and what becomes of records that fail.
#include <xapian.h>
#include <condition_variable>

#include "plugin/input/record_reader.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_limit.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/tagged_document.h"
#include "tests/fixtures/thread_limit.h"

using namespace kindred;
using test::code_of;
using test::record;
using test::TemporaryPath;
using test::Terms;
using Outcome = DocumentReport::Outcome;

namespace {

Settings failing_to(const std::string& policy, const std::string& dead_letters = "") {
  Settings settings = test::on_cpu(3);
  settings.ingest.on_failure = policy;
  settings.ingest.dead_letters = dead_letters;
  return settings;
}

std::string text_of(int i) {
  static const std::vector<std::string> words = {"cat", "purrs", "tax",   "budget", "income",
                                                 "dog", "bank",  "rates", "sleeps", "mat"};
  const auto word = [&](int n) { return words[static_cast<std::size_t>(n) % words.size()]; };
  return word(i) + " " + word(i / 3) + " " + word(i / 7) + " w" + std::to_string(i % 97);
}

/// Records with and without labels, some of which replace others soon after and some much later.
void add_many(Ingest& ingest, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string id = "d" + std::to_string(i % 5 == 4 ? i - 4 : i % 1500);
    std::vector<std::string> labels;
    if (i % 3 == 0) labels = {i % 2 == 0 ? "animals" : "finance"};
    ingest.add(record(id, text_of(i), labels));
    if (i % 200 == 100) ingest.add_json("{\"id\":\"bad\",\"text\":7}");
  }
}

std::vector<std::string> all_reports(const std::string& path, const Settings& settings) {
  std::vector<std::string> reports;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) {
    std::string line = report.id + " " + std::to_string(static_cast<int>(report.outcome));
    for (const Tag& tag : report.tags) line += " " + tag.label;
    reports.push_back(line + report.reason);
  };
  Ingest ingest(path, settings, options);
  add_many(ingest, 3000);
  ingest.commit();
  return reports;
}

}  // namespace

TEST_CASE("threads write the same bytes as one thread does, and report the same", "[slow]") {
  test::TemporaryDirectory directory;
  Settings one = test::on_cpu(1);
  one.index.batch = GENERATE(700, 100);
  Settings four = one;
  four.backend.threads = 4;
  const auto reports = all_reports(directory / "one", one);
  CHECK(reports.size() == 3015);
  CHECK(all_reports(directory / "four", four) == reports);
  for (const char* table : {"/postlist.glass", "/termlist.glass", "/docdata.glass"}) {
    CAPTURE(table);
    const std::string bytes = test::file_text(directory / "one" + table);
    CHECK(bytes.size() > 1000);
    CHECK(bytes == test::file_text(directory / "four" + table));
  }
}

TEST_CASE("of records with one id the last one stays, however they meet") {
  test::TemporaryDirectory directory;
  Ingest ingest(directory / "db", test::on_cpu(4));
  for (int i = 0; i < 2000; ++i)
    ingest.add(record("x" + std::to_string(i % 3), "v" + std::to_string(i)));
  ingest.commit();
  CHECK(ingest.report().added == 3);
  CHECK(ingest.report().replaced == 1997);
  const Xapian::Database database(directory / "db");
  for (const char* last : {"v1997", "v1998", "v1999"}) CHECK(database.get_termfreq(last) == 1);
  CHECK(database.get_doccount() == 3);
}

TEST_CASE_METHOD(TemporaryPath, "every record is reported once, in order, and when it is on disk") {
  test::write(path, test::small_collection());
  Settings settings = test::on_cpu(4);
  settings.index.batch = 600;
  std::vector<std::uint64_t> lines;
  std::size_t absent = 0, tagged = 0;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) {
    lines.push_back(report.origin.line);
    if (report.outcome == Outcome::kFailed) {
      if (report.reason.empty() || report.origin.line % 10 != 0) ++absent;
      return;
    }
    if (!Xapian::Database(path).term_exists("Q" + report.id)) ++absent;
    if (!report.tags.empty()) ++tagged;
  };
  Ingest ingest(path, settings, options);
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    const std::string id = "n" + std::to_string(i);
    if (i % 10 == 0) {
      ingest.add_json(i % 20 == 0 ? "{" : "{\"text\":\"no id\"}", {"file", i});
    } else if (i % 2 == 0) {
      ingest.add_json("{\"id\":\"" + id + "\",\"text\":\"the cat purrs\"}", {"file", i});
    } else {
      ingest.add(record(id, "income tax"), {"file", i});
    }
  }
  ingest.commit();
  REQUIRE(lines.size() == 2000);
  for (std::size_t i = 0; i < lines.size(); ++i) REQUIRE(lines[i] == i + 1);
  CHECK(absent == 0);
  CHECK(tagged == 1800);
  CHECK(ingest.report().tagged == 1800);
  CHECK(ingest.report().failed == 200);
}

TEST_CASE("a record that add() refuses is counted at once, and reported in its place") {
  test::TemporaryDirectory directory;
  std::vector<std::string> ids;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) { ids.push_back(report.id); };
  Ingest ingest(directory / "db", test::on_cpu(3), options);
  ingest.add(record("a", "x"));
  const std::string wrong(300, 'w');
  CHECK(code_of([&] { ingest.add(record(wrong, "x")); }, "id") == Errc::kInvalidArgument);
  CHECK(ingest.report().failed == 1);
  ingest.add(record("b", "x"));
  ingest.commit();
  CHECK(ingest.report().failed == 1);
  CHECK(ids == std::vector<std::string>{"a", wrong, "b"});
}

TEST_CASE_METHOD(TemporaryPath,
                 "with a bound in time, records are committed even if none follows") {
  test::write(path, test::small_collection());
  Settings settings = test::on_cpu(3);
  settings.ingest.commit_seconds = .05;
  std::mutex mutex;
  std::condition_variable came;
  bool reported = false;
  IngestOptions options;
  options.on_document = [&](const DocumentReport&) {
    const std::lock_guard lock(mutex);
    reported = true;
    came.notify_one();
  };
  Ingest ingest(path, settings, options);
  ingest.add(record("n", "the cat purrs"));
  std::unique_lock lock(mutex);
  REQUIRE(came.wait_for(lock, std::chrono::seconds(60), [&] { return reported; }));
  lock.unlock();
  CHECK(test::terms_on_disk(path, "n", "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
}

TEST_CASE("what cannot be classified is indexed and marked, or fails, as the settings say") {
  test::TemporaryDirectory directory;
  const std::string path = directory / "db", letters = directory / "dead.jsonl";
  const std::string policy = GENERATE("index_untagged", "reject", "dead_letter");
  CAPTURE(policy);
  const bool indexed = policy == "index_untagged";
  std::vector<DocumentReport> reports;
  IngestOptions options;
  options.on_document = [&](const DocumentReport& report) { reports.push_back(report); };
  {
    Ingest ingest(path, failing_to(policy, policy == "dead_letter" ? letters : ""), options);
    ingest.add_json(R"({"id":"a","text":"cat","n":1.50})", {"f", 1});
    ingest.add(record("b", "dog"));
    ingest.commit();
    CHECK(ingest.report().added == (indexed ? 2 : 0));
    CHECK(ingest.report().pending == (indexed ? 2 : 0));
    CHECK(ingest.report().failed == (indexed ? 0 : 2));
  }
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].reason.find("no document has a label") != std::string::npos);
  CHECK(reports[0].pending == indexed);
  CHECK((reports[0].outcome == Outcome::kAdded) == indexed);
  CHECK(Xapian::Database(path).get_doccount() == (indexed ? 2 : 0));
  if (policy != "dead_letter") return;
  const std::string reason = R"({"dead_letter":{"reason":"cannot be classified: no document )"
                             R"(has a label, so there are no voters")";
  CHECK(test::file_text(letters) == reason +
                                        R"(,"file":"f","line":1},"id":"a","text":"cat","n":1.50})" +
                                        "\n" + reason + R"(},"id":"b","text":"dog"})" + "\n");
}

TEST_CASE_METHOD(TemporaryPath,
                 "a document that is rejected leaves the old one of its id as it was") {
  test::write(path, {record("a", "old")});
  Ingest ingest(path, failing_to("reject"));
  ingest.add(record("a", "young"));
  ingest.commit();
  CHECK(ingest.report().failed == 1);
  const Xapian::Database database(path);
  CHECK(database.term_exists("old"));
  CHECK_FALSE(database.term_exists("young"));
}

TEST_CASE("dead letters that are handed in again are indexed, once there are voters") {
  test::TemporaryDirectory directory;
  const std::string path = directory / "db", letters = directory / "dead.jsonl";
  {
    Ingest ingest(path, failing_to("dead_letter", letters));
    ingest.add_json(R"({"id":"a","text":"the cat purrs","url":"u"})");
    ingest.add_json("no JSON");
    ingest.commit();
    CHECK(ingest.report().failed == 2);
  }
  test::write(path, test::small_collection());
  Ingest ingest(path, test::on_cpu(2));
  RecordReader reader(letters);
  while (const auto line = reader.next()) ingest.add_json(line->text);
  ingest.commit();
  CHECK(ingest.report().added == 1);
  CHECK(ingest.report().tagged == 1);
  CHECK(ingest.report().failed == 1);
  const Xapian::Document document = test::document(Xapian::Database(path), "a");
  CHECK(document.get_data() == "id=a\nsample=the cat purrs\nurl=u\n");
}

TEST_CASE("dead letters that cannot be written are an error, and nothing is reported as done") {
  test::TemporaryDirectory directory;
  const std::string path = directory / "db", letters = directory / "dead.jsonl";
  std::size_t reports = 0;
  IngestOptions options;
  options.on_document = [&](const DocumentReport&) { ++reports; };
  Settings settings = failing_to("dead_letter", letters);
  settings.backend.threads = GENERATE(1, 3);
  {
    Ingest ingest(path, settings, options);
    ingest.add_json("no JSON, and " + std::string(5000, 'x'));
    ingest.add(record("a", "words", {"label"}));
    const test::FileLimit limit(1000);
    CHECK(code_of([&] { ingest.commit(); }, letters) == Errc::kDatabase);
    CHECK(code_of([&] { ingest.add(record("b", "x")); }, letters) == Errc::kDatabase);
  }
  CHECK(reports == 0);
}

TEST_CASE("a writer that fails is an error of the next call, and nothing hangs") {
  test::TemporaryDirectory directory;
  Settings settings = test::on_cpu(GENERATE(1, 2, 4));
  settings.index.batch = 20;
  IngestOptions options;
  options.tag = false;
  SECTION("the disk is full") {
    const std::string path = directory / "db";
    std::optional<Ingest> ingest(std::in_place, path, settings, options);
    {
      const test::FileLimit limit(1 << 16);
      const auto add_all = [&] {
        for (int i = 0; i < 10000; ++i)
          ingest->add(record(std::to_string(i), text_of(i) + " u" + std::to_string(i)));
      };
      CHECK(code_of(add_all, path) == Errc::kDatabase);
      CHECK(code_of([&] { ingest->commit(); }, path) == Errc::kDatabase);
      ingest.reset();
    }
    Ingest again(path, settings, options);  // the lock is free
    again.add(record("a", "x"));
    again.commit();
    CHECK(again.report().added + again.report().replaced == 1);
  }
  SECTION("a callback throws") {
    options.on_commit = [](const IngestReport&) {
      throw Error(Errc::kCanceled, "enough is enough");
    };
    Ingest ingest(directory / "db", settings, options);
    const auto add_all = [&] {
      for (int i = 0; i < 10000; ++i) ingest.add(record(std::to_string(i), "x"));
    };
    CHECK(code_of(add_all, "enough") == Errc::kCanceled);
    CHECK(code_of([&] { ingest.commit(); }, "enough") == Errc::kCanceled);
  }
}

TEST_CASE("an exception of the caller drops what waits, and ends the threads") {
  test::TemporaryDirectory directory;
  try {
    Ingest ingest(directory / "db", test::on_cpu(4));
    for (int i = 0; i < 500; ++i) ingest.add(record(std::to_string(i), text_of(i)));
    throw std::runtime_error("the input broke off");
  } catch (const std::runtime_error&) {
  }
  Ingest ingest(directory / "db", test::on_cpu(4));  // the lock is free
}

TEST_CASE_METHOD(TemporaryPath, "where the system gives fewer threads, these do the work") {
  test::write(path, test::small_collection());
  const Settings settings = test::on_cpu(4);
  const test::ThreadLimit limit(GENERATE(0, 1, 2));
  Ingest ingest(path, settings);
  for (int i = 0; i < 700; ++i) ingest.add(record("n" + std::to_string(i), "the cat purrs"));
  ingest.commit();
  CHECK(limit.wanted() > 0);
  CHECK(ingest.report().tagged == 700);
}
