// Term weights for related documents that are learned from the index itself.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "plugin/related/lift_learning.h"
#include "plugin/snapshot/neighbor_lift.h"
#include "plugin/votes/frozen_weights.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;

namespace {

/// Documents without labels on twelve topics: three words are those of the topic, twelve are drawn
/// from words that are as rare and tell nothing.
std::vector<Record> unlabeled(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (int word = 0; word < 3; ++word)
      text += "topic" + std::to_string(i % 12) + "w" + std::to_string(random() % 20) + "x ";
    for (int word = 0; word < 12; ++word) text += "noise" + std::to_string(random() % 960) + "x ";
    records.push_back(record("d" + std::to_string(i), text, {}));
  }
  return records;
}

/// Long documents of words that are common or rare as in a language. Four more words of each are
/// also in four others, and say nothing of what else these have.
std::vector<Record> with_signatures(std::size_t count) {
  std::mt19937_64 random(1);
  const auto share = [&] { return static_cast<double>(random() % 1000000) / 1e6; };
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    const double words = 200 * std::pow(10, share());
    for (int word = 0; word < words; ++word)
      text += "word" + std::to_string(static_cast<int>(3 * std::pow(6667, share()))) + "x ";
    for (const char* const end : {"ax ", "bx ", "cx ", "dx "})
      text += "group" + std::to_string(i * 7919 % (count / 5)) + end;
    records.push_back(record("d" + std::to_string(i), text, {}));
  }
  return records;
}

struct UnlabeledIndex : test::TemporaryPath {
  explicit UnlabeledIndex(std::size_t count = 1200) { test::write(path, unlabeled(count)); }
};

std::string used_by(const Engine& engine) { return engine.status().related_by; }

std::vector<api::RelatedDocument> ask(const Engine& engine) {
  return test::related_to(engine, Docid{7});
}

/// The share of the ten that are of the topic that was asked about, over some documents.
double precision(const Engine& engine) {
  RelatedRequest request;
  request.feedback = false;
  std::vector<Xapian::docid> docids;
  for (Xapian::docid docid = 1; docid <= 240; ++docid) docids.push_back(docid);
  double shared = 0;
  for (std::size_t i = 0; const RelatedResult& result : engine.related_each(docids, request)) {
    for (const api::RelatedDocument& document : result.results)
      shared += document.docid % 12 == docids[i] % 12 ? 1 : 0;
    ++i;
  }
  return shared / (10 * 240);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the first question for related documents learns what terms weigh, and keeps it") {
  const UnlabeledIndex index;
  Settings plain = test::on_cpu();
  plain.weighting.lift = false;
  const double before = precision(Engine(index.path, plain));

  Engine engine(index.path, test::on_cpu());
  CHECK(used_by(engine) == "smart");
  CHECK(precision(engine) > before + .1);
  CHECK(used_by(engine) == "lift");
  CHECK(engine.status().lift_documents == 1200);

  const auto stored = read_lift(index.path);
  REQUIRE(stored);
  CHECK(stored->uuid == engine.status().uuid);
  CHECK(stored->weights->of("Ztopic3w5x") > 1.1 * stored->weights->of("Znoise5x"));

  // Another engine finds it, and gives the same answers.
  const Engine other(index.path, test::on_cpu(1));
  CHECK(used_by(other) == "lift");
  for (std::size_t i = 0; const api::RelatedDocument& document : ask(other))
    CHECK(document.rank_score == ask(engine)[i++].rank_score);
}

TEST_CASE("where the nearest by lift are clearly less alike than those by idf, idf weighs terms") {
  const test::TemporaryPath index;
  test::write(index.path, with_signatures(600));
  ask(Engine(index.path, test::on_cpu()));

  const Engine engine(index.path, test::on_cpu(1));
  CHECK(used_by(engine) == "idf");
  CHECK(engine.status().lift_documents == 600);
  const auto stored = read_lift(index.path);
  REQUIRE(stored);
  CHECK(stored->by_idf);
  CHECK(stored->weights->of_others() == Approx(std::sqrt(std::log(600.0))));

  // So the answers are those of the letters lrc.
  Settings plain = test::on_cpu();
  plain.weighting.lift = false;
  plain.weighting.smart = "lrc";
  const Engine by_letters(index.path, plain);
  for (std::size_t i = 0; const api::RelatedDocument& document : ask(by_letters))
    CHECK(document.rank_score == Approx(ask(engine)[i++].rank_score).epsilon(1e-4));
}

TEST_CASE("where all documents have one and the same word, each is found") {
  const test::TemporaryPath index;
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i)
    records.push_back(record("d" + std::to_string(i), i % 2 == 0 ? "apple" : "apple apple", {}));
  test::write(index.path, records);

  const Engine engine(index.path, test::on_cpu());
  const auto found = ask(engine);
  CHECK(used_by(engine) == "lift");
  REQUIRE(found.size() == 10);
  CHECK(found.back().similarity == Approx(1));
}

TEST_CASE("what is learned depends neither on threads nor on how the mirror came about") {
  const UnlabeledIndex index(1100);
  Engine engine(index.path, test::on_cpu(4));
  test::write(index.path, unlabeled(200, 2));
  engine.refresh();
  ask(engine);
  const std::string learned = bytes_of(lift_path(index.path));
  std::filesystem::remove(lift_path(index.path));
  ask(Engine(index.path, test::on_cpu(1)));
  CHECK(bytes_of(lift_path(index.path)) == learned);

  // An engine that follows finds by it what a new one finds.
  test::write(index.path, {record("new", "topic3w5x topic3w6x newword", {})});
  engine.refresh();
  const Engine fresh(index.path, test::on_cpu(1));
  for (std::size_t i = 0; const api::RelatedDocument& document : ask(fresh))
    CHECK(document.rank_score == ask(engine)[i++].rank_score);
}

TEST_CASE("it is learned again when the index has doubled, and not before") {
  const UnlabeledIndex index;
  Engine engine(index.path, test::on_cpu());
  ask(engine);
  for (const std::size_t count : {2399U, 2400U}) {
    test::write(index.path, unlabeled(count));
    engine.refresh();
    ask(engine);
    CHECK(engine.status().lift_documents == (count == 2399 ? 1200 : 2400));
  }
}

TEST_CASE("it serves when documents that it was learned from are deleted") {
  const UnlabeledIndex index;
  Engine engine(index.path, test::on_cpu());
  ask(engine);

  Xapian::WritableDatabase writer(index.path, Xapian::DB_OPEN);
  for (Xapian::docid docid = 301; docid <= 1200; ++docid) writer.delete_document(docid);
  writer.commit();
  engine.refresh();
  CHECK(used_by(engine) == "lift");
  const auto found = ask(engine);
  REQUIRE(found.size() == 10);
  CHECK(found.back().docid <= 300);
  const Engine fresh(index.path, test::on_cpu(1));
  for (std::size_t i = 0; const api::RelatedDocument& document : ask(fresh))
    CHECK(document.rank_score == found[i++].rank_score);
}

TEST_CASE("an index of no, one or two documents answers") {
  const auto count = GENERATE(as<std::size_t>{}, 0, 1, 2);
  CAPTURE(count);
  const test::TemporaryPath index;
  const std::vector<Record> records = {record("a", "apple pear", {}),
                                       record("b", "apple plum", {})};
  test::write(index.path, {records.begin(), records.begin() + count});
  const Engine engine(index.path, test::on_cpu());
  const auto found = test::related_to(engine, record("asked", "pear", {}));
  CHECK(found.size() == std::min<std::size_t>(count, 1));
  CHECK(used_by(engine) == "smart");
}

TEST_CASE("small indexes, chosen letters and tuned indexes do without") {
  const UnlabeledIndex small(199);
  const Engine few(small.path, test::on_cpu());
  ask(few);
  CHECK(used_by(few) == "smart");

  const UnlabeledIndex index;
  Settings settings = test::on_cpu();
  settings.weighting.smart = "lrc";
  const Engine chosen(index.path, settings);
  ask(chosen);
  CHECK(used_by(chosen) == "smart");

  const test::TopicalCollection labeled(1200);
  Engine tuned(labeled.path, test::on_cpu());
  REQUIRE(tuned.tune_if_needed());
  ask(tuned);
  CHECK(used_by(tuned) == "tuning");
  CHECK(!std::filesystem::exists(lift_path(labeled.path)));
}

TEST_CASE("a file that is damaged or of another index is passed over, told once, and made again") {
  const UnlabeledIndex index;
  ask(Engine(index.path, test::on_cpu()));
  const std::string good = bytes_of(lift_path(index.path));

  const std::string how = GENERATE("cut", "changed", "other");
  CAPTURE(how);
  if (how == "other") {
    const UnlabeledIndex other;
    ask(Engine(other.path, test::on_cpu()));
    std::filesystem::copy_file(lift_path(other.path), lift_path(index.path),
                               std::filesystem::copy_options::overwrite_existing);
  } else {
    std::string bad = good;
    if (how == "cut") bad.resize(bad.size() / 2);
    if (how == "changed") bad[bad.size() - 9] ^= 1;
    std::ofstream(lift_path(index.path), std::ios::binary) << bad;
  }

  std::vector<std::string> told;
  const Engine engine(index.path, test::on_cpu(), [&](const std::string& message) {
    if (message.find("kindred.lift") != std::string::npos) told.push_back(message);
  });
  CHECK(told.size() == (how == "other" ? 0U : 1U));
  CHECK(used_by(engine) == "smart");
  CHECK(!ask(engine).empty());
  CHECK(used_by(engine) == "lift");
  CHECK(bytes_of(lift_path(index.path)) == good);
  CHECK(told.size() == (how == "other" ? 0U : 1U));
}

TEST_CASE("nothing is written into the folder of an index that must not be written") {
  const UnlabeledIndex index;
  Settings settings = test::on_cpu();
  settings.index.read_only = true;
  const Engine engine(index.path, settings);
  ask(engine);
  CHECK(used_by(engine) == "lift");
  CHECK(!std::filesystem::exists(lift_path(index.path)));

  // In a folder that was named for it, it is kept.
  settings.index.directory = index.directory / "files";
  std::filesystem::create_directory(settings.index.directory);
  const Engine beside(index.path, settings);
  ask(beside);
  CHECK(std::filesystem::exists(lift_path(beside.location())));
}

TEST_CASE("a database that the caller opened learns in memory") {
  const UnlabeledIndex index;
  const Engine engine(Xapian::Database(index.path), test::on_cpu());
  const auto first = ask(engine);
  CHECK(used_by(engine) == "lift");
  CHECK(!std::filesystem::exists(lift_path(index.path)));
  const Engine stored(index.path, test::on_cpu());
  for (std::size_t i = 0; const api::RelatedDocument& document : ask(stored))
    CHECK(document.rank_score == first[i++].rank_score);
}
