// Tagging runs over an index: what they write, refuse, and how they go on after an interruption.
#include "plugin/writing/tagging.h"

#include <xapian.h>

#include "plugin/store/string_table.h"
#include "plugin/votes/frozen_weights.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/tagged_document.h"
#include "tests/fixtures/thread_limit.h"

using namespace kindred;
using test::code_of;
using test::Collection;
using test::record;
using test::Terms;
using test::terms_on_disk;

namespace {

/// Documents without tags: about cats, about budgets, about nothing that is known.
std::vector<Record> untagged(int count) {
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) {
    const char* const text = i % 3 == 0   ? "a cat purrs and sleeps"
                             : i % 3 == 1 ? "income tax in the budget"
                                          : "xylophone";
    records.push_back(record("u" + std::to_string(i), text));
  }
  return records;
}

TagReport tag(const std::string& path, const TagRequest& request, const Settings& settings = {}) {
  Engine engine(path, settings);
  return tag_documents(engine, request);
}

std::uint64_t revision(const std::string& path) { return Xapian::Database(path).get_revision(); }

/// A run that ends after `batches` batches, as if it was killed. What was committed is on disk.
void interrupt(const std::string& path, const Settings& settings, int batches,
               TagRequest request = {}) {
  request.on_progress = [&](const RunReport&) {
    if (--batches == 0) throw std::runtime_error("killed");
  };
  CHECK_THROWS_AS(tag(path, request, settings), std::runtime_error);
}

}  // namespace

TEST_CASE("a tagging run gives stored documents the tags of their rows") {
  const Collection collection(untagged(6));
  TagRequest request;
  request.sample = 2;
  const TagReport report = tag(collection.path, request);
  CHECK(report.matched == 13);
  CHECK(report.examined == 13);
  CHECK(report.labeled == 6);
  CHECK(report.tagged == 4);
  CHECK(report.changed == 4);
  CHECK(report.written == 4);
  CHECK(report.given == 6);
  REQUIRE(report.sample.size() == 2);
  CHECK(report.sample[0].id == "u0");
  REQUIRE(report.sample[0].given.size() == 2);
  CHECK(report.sample[0].given[0].confidence > 0.35);
  CHECK(terms_on_disk(collection.path, "u0", "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  CHECK(terms_on_disk(collection.path, "u1", "XAUTO") == Terms{"XAUTOfinance"});
  CHECK(terms_on_disk(collection.path, "u2", "XAUTO").empty());
  CHECK(Engine(collection.path, {}).status().tagged == 4);
}

TEST_CASE("a run goes on where the system gives no thread, and takes none that is not allowed") {
  Settings settings = test::on_cpu(GENERATE(1, 4));
  const Collection collection(untagged(6));
  const test::ThreadLimit limit(0);
  CHECK(tag(collection.path, {}, settings).given == 6);
  CHECK((limit.wanted() > 0) == (settings.backend.threads > 1));
  CHECK(terms_on_disk(collection.path, "u1", "XAUTO") == Terms{"XAUTOfinance"});
}

TEST_CASE("a query limits the run") {
  const Collection collection(untagged(6));
  TagRequest request;
  request.query = "budget NOT label:finance";
  const TagReport report = tag(collection.path, request);
  CHECK(report.matched == 2);
  CHECK(report.changed == 2);
  CHECK(terms_on_disk(collection.path, "u0", "XAUTO").empty());
  request.query = "label:nobody";
  CHECK(tag(collection.path, request).matched == 0);
}

TEST_CASE("a dry run reports what a run does, and changes nothing") {
  const Collection collection(untagged(6));
  test::change_term(collection.path, "u0", "", "XUNTAGGED");
  const std::uint64_t before = revision(collection.path);
  TagRequest request;
  request.sample = 100;
  request.dry_run = true;
  const TagReport dry = tag(collection.path, request);
  CHECK(revision(collection.path) == before);
  CHECK(terms_on_disk(collection.path, "u0", "XAUTO").empty());
  {
    const Ingest other(collection.path, {});  // it needs no lock
    CHECK(tag(collection.path, request).changed == dry.changed);
  }
  request.dry_run = false;
  const TagReport wet = tag(collection.path, request);
  CHECK(dry.changed == wet.changed);
  CHECK(dry.written == wet.written);
  CHECK(dry.given == wet.given);
  CHECK(dry.tagged == wet.tagged);
}

TEST_CASE_METHOD(
    test::TemporaryPath,
    "documents that ingest could not tag are tagged as pending, once there are voters") {
  test::ingest(path, {record("early", "a cat purrs and sleeps")});
  CHECK(Engine(path, {}).status().pending == 1);
  TagRequest request;
  request.pending = true;
  CHECK(code_of([&] { tag(path, request); }, "no document has a label") == Errc::kNotFound);
  test::write(path, test::small_collection());
  const TagReport report = tag(path, request);
  CHECK(report.matched == 1);
  CHECK(report.tagged == 1);
  CHECK(terms_on_disk(path, "early", "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
  CHECK(terms_on_disk(path, "early", "XUNTAGGED").empty());
  CHECK(Engine(path, {}).status().pending == 0);
  CHECK(tag(path, request).matched == 0);
}

TEST_CASE("a tagged document that is indexed without tagging is pending") {
  const Collection collection(untagged(1));
  tag(collection.path, {});
  test::write(collection.path, {record("u0", "income tax")});
  CHECK(terms_on_disk(collection.path, "u0", "XAUTO").empty());
  CHECK(terms_on_disk(collection.path, "u0", "XUNTAGGED") == Terms{"XUNTAGGED"});
  TagRequest request;
  request.pending = true;
  tag(collection.path, request);
  CHECK(terms_on_disk(collection.path, "u0", "XAUTO") == Terms{"XAUTOfinance"});
}

TEST_CASE("a run that was interrupted goes on where it stopped") {
  const Collection collection(untagged(40));
  Settings settings;
  settings.index.batch = 10;
  interrupt(collection.path, settings, 2);
  const std::uint64_t done = Engine(collection.path, settings).status().tagged;
  CHECK(done > 0);
  SECTION("after documents that are done") {
    const TagReport report = tag(collection.path, {}, settings);
    CHECK(report.continued == 20);
    CHECK(report.examined == 27);
    CHECK(report.written + done == 27);
    CHECK(tag(collection.path, {}, settings).continued == 0);  // that run is over
  }
  SECTION("from the start if it is told to") {
    TagRequest request;
    request.restart = true;
    CHECK(tag(collection.path, request, settings).examined == 47);
  }
  SECTION("from the start if the request is another") {
    TagRequest request;
    request.query = "cat";
    CHECK(tag(collection.path, request, settings).continued == 0);
  }
  SECTION("from the start if refusals are to end") {
    TagRequest request;
    request.allow_all = true;
    CHECK(tag(collection.path, request, settings).continued == 0);
  }
  SECTION("from the start if the settings are others") {
    settings.classify.min_confidence = 0.5;
    CHECK(tag(collection.path, {}, settings).continued == 0);
  }
  SECTION("from the start if the index was tuned meanwhile") {
    Tuning tuning;
    tuning.uuid = Xapian::Database(collection.path).get_uuid();
    tuning.smart = "ltc";
    tuning.prefixes = {"Z"};
    StringTable terms;
    terms.push_back("Zcat");
    tuning.weights =
        std::make_shared<const FrozenWeights>(std::move(terms), std::vector<double>{1});
    tuning.thresholds = {{"finance", 1.0}, {"animals", 0.4}};
    write_tuning(collection.path, tuning);
    CHECK(tag(collection.path, {}, settings).continued == 0);
  }
  SECTION("from the start if somebody else wrote meanwhile") {
    test::write(collection.path, {record("cat1", "income tax", {"finance"})});
    const TagReport report = tag(collection.path, {}, settings);
    CHECK(report.continued == 0);
    CHECK(report.examined == 47);
  }
  CHECK(terms_on_disk(collection.path, "u39", "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
}

TEST_CASE("a run follows what others write before it and between its transactions") {
  const Collection collection(untagged(40));
  Settings settings;
  settings.index.batch = 10;
  Engine engine(collection.path, settings);
  const auto write = [&](const char* changed, const char* labeled, const char* deleted) {
    test::write(collection.path, {record(changed, "income tax in the budget"),
                                  record(labeled, "a cat purrs", {"animals", "pets"})});
    Xapian::WritableDatabase(collection.path, Xapian::DB_OPEN).delete_document(deleted);
  };
  write("u0", "u1", "Qu2");
  TagRequest request;
  request.on_progress = [&, first = true](const RunReport&) mutable {
    if (std::exchange(first, false)) write("u36", "u37", "Qu38");
  };
  const TagReport report = tag_documents(engine, request);
  CHECK((report.matched == 46 && report.examined == 46 && report.gone == 1));
  CHECK(report.labeled == 8);
  for (const char* changed : {"u0", "u36"})
    CHECK(terms_on_disk(collection.path, changed, "XAUTO") == Terms{"XAUTOfinance"});
  CHECK(terms_on_disk(collection.path, "u37", "XAUTO").empty());
  CHECK(terms_on_disk(collection.path, "u39", "XAUTO") == Terms{"XAUTOanimals", "XAUTOpets"});
}

TEST_CASE("a run waits for a writer who has the lock between two transactions") {
  const Collection collection(untagged(40));
  Settings settings;
  settings.index.batch = 10;
  std::unique_ptr<Ingest> other;
  int calls = 0;
  TagRequest request;
  request.on_progress = [&](const RunReport&) {
    if (++calls == 1) other = std::make_unique<Ingest>(collection.path, settings);
    if (calls == 3) other.reset();
  };
  CHECK(tag(collection.path, request, settings).examined == 47);
  CHECK(calls == 7);  // five transactions; it found the lock taken twice
}

TEST_CASE("what another program keeps in the value slot is not a prediction") {
  const Collection collection(untagged(1));
  for (const char* value : {"something", "[1]", R"({"tags": 7})", R"({"tags": [{"label": 1}]})"}) {
    Xapian::WritableDatabase database(collection.path, Xapian::DB_OPEN);
    Xapian::Document document = test::document(database, "zen1");
    document.add_value(7001, value);
    database.replace_document("Qzen1", document);
    database.close();
    CHECK(tag(collection.path, {}).rejected == 0);
  }
}
