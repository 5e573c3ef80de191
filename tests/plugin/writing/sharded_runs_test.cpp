// Runs over a database of several shards: each is written by a thread of its own, and what is
// written does not depend on it.
#include <xapian.h>

#include "plugin/learning.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/tagged_document.h"
#include "tests/fixtures/thread_limit.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::record;
using test::StubOfShards;

namespace {

/// Six labeled documents, and some without tags.
std::vector<Record> records(int count) {
  std::vector<Record> all = test::small_collection();
  for (int i = 0; i < count; ++i) {
    const char* const text = i / 2 % 3 == 0   ? "a cat purrs and sleeps"
                             : i / 2 % 3 == 1 ? "income tax in the budget"
                                              : "xylophone";
    all.push_back(record("u" + std::to_string(i), text));
  }
  return all;
}

struct TaggedShards : StubOfShards {
  TaggedShards(int count, int untagged) : StubOfShards(count) {
    test::write(path, records(untagged));
  }
};

Settings small_batches(std::int64_t threads) {
  Settings settings = test::on_cpu(threads);
  settings.index.batch = 4;
  return settings;
}

TagReport tag_by(const std::string& path, const TagRequest& request, const Settings& settings) {
  Engine engine(path, settings);
  return tag_documents(engine, request);
}

/// Everything that a shard holds.
std::vector<std::string> content(const std::string& path) {
  const Xapian::Database database(path);
  std::vector<std::string> lines;
  for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it) {
    const Xapian::Document document = database.get_document(*it);
    std::string line = std::to_string(*it) + " " + document.get_data();
    for (auto term = document.termlist_begin(); term != document.termlist_end(); ++term)
      line += " " + *term + "=" + std::to_string(term.get_wdf());
    for (auto value = document.values_begin(); value != document.values_end(); ++value)
      line += " " + std::to_string(value.get_valueno()) + ":" + *value;
    lines.push_back(line);
  }
  for (auto key = database.metadata_keys_begin(); key != database.metadata_keys_end(); ++key)
    lines.push_back(*key + " " + database.get_metadata(*key));
  return lines;
}

std::vector<std::vector<std::string>> content(const StubOfShards& shards) {
  std::vector<std::vector<std::string>> all;
  for (int i = 0; i < shards.shards; ++i) all.push_back(content(shards.shard(i)));
  return all;
}

using TermsById = std::map<std::string, test::Terms>;

/// The terms under a prefix of each document with an id.
TermsById terms_by_id(const std::string& path, const std::string& prefix) {
  const Xapian::Database database(path);
  TermsById all;
  for (auto it = database.allterms_begin("Q"); it != database.allterms_end("Q"); ++it) {
    const std::string id = (*it).substr(1);
    all[id] = test::terms_with(test::document(database, id), prefix);
  }
  return all;
}

}  // namespace

TEST_CASE("each document of a shard gets the tags that one database gives it", "[slow]") {
  const int count = GENERATE(1, 2, 3, 5);
  const std::int64_t threads = GENERATE(1, 4);
  CAPTURE(count, threads);
  const test::TemporaryDirectory directory;
  const std::string one = directory / "db";
  test::write(one, records(40));
  const TaggedShards shards(count, 40);
  TagRequest request;
  request.sample = 7;
  const TagReport expected = tag_by(one, request, small_batches(threads));
  const TagReport report = tag_by(shards.path, request, small_batches(threads));
  CHECK(terms_by_id(shards.path, "XAUTO") == terms_by_id(one, "XAUTO"));
  CHECK(report.matched == expected.matched);
  CHECK(report.examined == expected.examined);
  CHECK(report.tagged == expected.tagged);
  CHECK(report.labeled == expected.labeled);
  CHECK(report.written == expected.written);
  CHECK(report.given == expected.given);
  REQUIRE(report.sample.size() == expected.sample.size());
  for (std::size_t i = 0; i < report.sample.size(); ++i) {
    CHECK(report.sample[i].docid == expected.sample[i].docid);
    CHECK(report.sample[i].id == expected.sample[i].id);
  }
  CHECK(tag_by(shards.path, {}, small_batches(threads)).written == 0);
}

TEST_CASE("an interrupted run over shards ends as an undisturbed one", "[slow]") {
  const std::int64_t threads = GENERATE(1, 3);
  const int batches = GENERATE(1, 2, 4, 5);
  CAPTURE(threads, batches);
  const TaggedShards undisturbed(3, 60), shards(3, 60);
  REQUIRE(content(shards) == content(undisturbed));
  const Settings settings = small_batches(threads);
  const TagReport whole = tag_by(undisturbed.path, {}, settings);

  TagRequest request;
  request.on_progress = [left = batches](const RunReport&) mutable {
    if (--left == 0) throw std::runtime_error("killed");
  };
  CHECK_THROWS_AS(tag_by(shards.path, request, settings), std::runtime_error);
  const TagReport rest = tag_by(shards.path, {}, settings);
  CHECK(rest.continued > 0);
  CHECK(rest.continued + rest.examined == whole.matched);
  CHECK(content(shards) == content(undisturbed));
  CHECK(tag_by(shards.path, {}, settings).continued == 0);
  CHECK(content(shards) == content(undisturbed));
}

TEST_CASE("only the shard that somebody else wrote to starts over") {
  const TaggedShards shards(2, 60);
  const Settings settings = small_batches(1);
  TagRequest request;
  request.on_progress = [left = 5](const RunReport&) mutable {
    if (--left == 0) throw std::runtime_error("killed");
  };
  CHECK_THROWS_AS(tag_by(shards.path, request, settings), std::runtime_error);
  {
    Xapian::WritableDatabase other(shards.shard(1), Xapian::DB_OPEN);
    other.set_metadata("other", "program");
    other.commit();
  }
  const TagReport rest = tag_by(shards.path, {}, settings);
  CHECK(rest.continued > 0);
  CHECK(rest.continued <= (rest.matched + 1) / 2);
  CHECK(rest.continued + rest.examined == rest.matched);
}

TEST_CASE("progress comes from the calling thread, whoever writes") {
  const TaggedShards shards(4, 80);
  const std::thread::id caller = std::this_thread::get_id();
  std::uint64_t calls = 0, last = 0;
  TagRequest request;
  request.on_progress = [&](const RunReport& report) {
    ++calls;
    CHECK(std::this_thread::get_id() == caller);
    CHECK(report.examined >= last);
    last = report.examined;
  };
  const TagReport report = tag_by(shards.path, request, small_batches(4));
  CHECK(calls > 0);
  CHECK(report.examined == report.matched);
}

TEST_CASE("a run over shards goes on where the system gives no thread") {
  const TaggedShards shards(3, 20);
  const test::ThreadLimit limit(0);
  std::uint64_t calls = 0;
  TagRequest request;
  request.on_progress = [&](const RunReport&) { ++calls; };
  CHECK(tag_by(shards.path, request, small_batches(4)).examined == 27);
  CHECK(calls > 0);
  CHECK(test::terms_on_disk(shards.path, "u2", "XAUTO") == test::Terms{"XAUTOfinance"});
}

TEST_CASE("a shard that is locked keeps the run out of all", "[slow]") {
  const TaggedShards shards(3, 20);
  const auto before = content(shards);
  {
    const Xapian::WritableDatabase other(shards.shard(2), Xapian::DB_OPEN);
    CHECK(code_of([&] { tag_by(shards.path, {}, small_batches(2)); }) == Errc::kDatabase);
  }
  CHECK(content(shards) == before);
  CHECK(tag_by(shards.path, {}, small_batches(2)).written > 0);
}

TEST_CASE("a stub of stubs is written as a whole") {
  const TaggedShards shards(2, 20);
  const std::string outer = shards.directory / "outer";
  std::ofstream(outer) << "auto db\n";
  CHECK(tag_by(outer, {}, small_batches(2)).written > 0);
  CHECK(test::terms_on_disk(shards.path, "u2", "XAUTO") == test::Terms{"XAUTOfinance"});
}

TEST_CASE("documents of all shards get their topics", "[slow]") {
  const StubOfShards shards(3);
  test::make_database(shards.path);
  const test::TemporaryDirectory directory;
  const std::string one = test::make_database(directory / "db");
  const auto assigned = [&](const std::string& path) {
    Engine engine(path, small_batches(3));
    train_topics(engine, test::small_request());
    return assign_topics(engine, {});
  };
  const RunReport expected = assigned(one), report = assigned(shards.path);
  CHECK(report.matched == 200);
  CHECK(report.written == expected.written);
  CHECK(report.examined == 200);
  CHECK(terms_by_id(shards.path, "XTOPIC") == terms_by_id(one, "XTOPIC"));
  Engine engine(shards.path, small_batches(3));
  CHECK(assign_topics(engine, {}).written == 0);
}

TEST_CASE("related documents are stored in all shards, for any number of threads", "[slow]") {
  const StubOfShards one(3), three(3);
  test::make_database(one.path);
  std::filesystem::copy(
      one.directory / "", three.directory / "",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  const auto stored = [](const std::string& path, std::int64_t threads) {
    Engine engine(path, small_batches(threads));
    StoreRelatedRequest request;
    request.limit = 3;
    return store_related(engine, request).written;
  };
  CHECK(stored(one.path, 1) == 200);
  CHECK(stored(three.path, 3) == 200);
  CHECK(content(three) == content(one));
}
