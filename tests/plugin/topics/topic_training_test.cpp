// Special cases of training maps: too little memory, cancellation, odd indexes.
#include <tuple>

#include "analyzer/text/word_list.h"
#include "plugin/learning.h"
#include "plugin/topics/naming.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/topic_map.h"
#include "plugin/topics/topic_memory.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::file_text;
using test::make_database;
using test::small_request;
using test::TopicsIndex;

TEST_CASE("a map too large for the memory is refused before it is trained", "[slow]") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  Settings settings;
  settings.topics.memory_mb = 1;
  Engine engine(path, settings);
  TrainTopicsRequest request = small_request();
  CHECK(train_topics(engine, request)->units.size() == 64);
  const std::string before = file_text(path + "/kindred.som");
  request.rows = request.columns = 200;
  bool begun = false;
  const Errc code =
      code_of([&] { train_topics(engine, request, [&](const SomEpoch&) { return begun = true; }); },
              "40000 units");
  CHECK(code == Errc::kOutOfMemory);
  CHECK(!begun);
  CHECK(file_text(path + "/kindred.som") == before);

  request.rows = request.columns = 1000;  // needs more memory than any machine has
  TermBag terms;
  for (int i = 100000; i < 400000; ++i) terms.push_back({"t" + std::to_string(i), 1});
  std::vector<Record> records = {test::record("a", ""), test::record("b", "")};
  for (Record& record : records) record.terms = terms;
  const std::string wide = directory / "wide.db";
  test::ingest(wide, records);
  CHECK(code_of([&] { train_topics(Engine(wide, {}), request); }, "are free") ==
        Errc::kOutOfMemory);
}

TEST_CASE("a map is measured by the twin that will train it") {
  constexpr std::uint64_t kCodebook = 1000 * 50 * sizeof(float);
  CHECK(TopicMemory{1000, 50, 9000, true, false}.bytes() == kCodebook);
  CHECK(TopicMemory{1000, 50, 9000, true, true}.bytes() == 2 * kCodebook);
  CHECK(TopicMemory{1000, 50, 1023, false, false}.bytes() == 3 * kCodebook);
  CHECK(TopicMemory{1000, 50, 1023, false, true}.bytes() == 4 * kCodebook);
  // Sums of 64 bits, of units with 1,024 documents: at most 8 such units, or all of them.
  CHECK(TopicMemory{1000, 50, 9000, false, false}.bytes() == 3 * kCodebook + 8 * 50 * 8);
  CHECK(TopicMemory{1000, 50, 9000000, false, false}.bytes() == 3 * kCodebook + 1000 * 50 * 8);

  const test::TemporaryDirectory directory;
  Settings settings;
  settings.backend.memory_mb = 4;  // a device has room for the mirror, but none for the map
  settings.topics.memory_mb = 16;  // room for one codebook of 9.5 MiB, but not for three
  Engine engine(make_database(directory / "topics.db"), settings);
  TrainTopicsRequest request = small_request();
  request.rows = request.columns = 270;
  const auto train = [&] { train_topics(engine, request); };
  CHECK(code_of(train, "16 MiB are allowed") == Errc::kOutOfMemory);
}

TEST_CASE_METHOD(TopicsIndex, "training that is canceled leaves the map that was there, or none") {
  const auto cancel = [](const SomEpoch&) { return false; };
  CHECK(code_of([&] { train_topics(engine, small_request(), cancel); }) == Errc::kCanceled);
  CHECK(!std::filesystem::exists(path + "/kindred.som"));
  const auto first = train_topics(engine, small_request());
  const std::string before = file_text(path + "/kindred.som");
  TrainTopicsRequest other = small_request();
  other.rows = 9;
  for (const bool resume : {false, true}) {
    other.resume = resume;
    other.epochs = 50;
    CHECK(code_of(
              [&] {
                train_topics(engine, other, [&](const SomEpoch& epoch) {
                  return epoch.epoch < (resume ? 1U : 5U);
                });
              },
              "canceled") == Errc::kCanceled);
    CHECK(file_text(path + "/kindred.som") == before);
    CHECK(Reading(engine).topic_map()->units.size() == first->units.size());
  }
  for (const auto& entry : std::filesystem::directory_iterator(path))
    CHECK(entry.path().filename().string().find(".new-") == std::string::npos);
}

TEST_CASE("an index of one document, or of documents without terms, has a map") {
  const test::TemporaryDirectory directory;
  const auto index = [&](const std::string& name, const std::vector<std::string>& texts) {
    const std::string path = directory / name;
    std::vector<Record> records;
    for (const std::string& words : texts)
      records.push_back(test::record(std::to_string(records.size()), words));
    test::ingest(path, records);
    return path;
  };
  Engine one(index("one.db", {"a single document"}), Settings{});
  CHECK(train_topics(one, small_request())->units.size() == 64);
  CHECK(train_topics(one)->origin.documents == 1);
  CHECK(one.topic_of(UniqueId{"0"}).topic);

  Engine blank(index("blank.db", {"", "", ""}), Settings{});
  const auto map = train_topics(blank, small_request());
  CHECK(map->origin.documents == 3);
  CHECK(blank.topic_of(UniqueId{"0"}).novelty == 1);
  CHECK(Reading(blank).placed_documents(blank.matching("")).documents.size() == 3);

  Engine same(index("same.db", std::vector<std::string>(20, "the very same words")), Settings{});
  CHECK(train_topics(same, small_request())->quantization_error < 1e-3);
}

TEST_CASE("stop words of the languages that documents are in name no topic") {
  const Language english = find_language("en");
  const WordSet list = stop_words("builtin", english, Normalizer(english, true));
  std::vector<std::string> words(list.begin(), list.end());
  const std::size_t stops = words.size();
  for (const char* word : {"perl", "haus", "und", "nicht"}) words.emplace_back(word);
  std::vector<std::uint32_t> df(words.size(), 20);
  // English is spoken; of German there are two words, which may be names.
  std::vector<bool> stopped = stop_columns(words, df, 1000);
  CHECK(std::count(stopped.begin(), stopped.end(), true) == static_cast<std::ptrdiff_t>(stops));
  CHECK(std::all_of(stopped.begin(), stopped.begin() + static_cast<std::ptrdiff_t>(stops),
                    [](bool is_stopped) { return is_stopped; }));
  // Where stop words are rare, they were left out of most documents, and tell something.
  stopped = stop_columns(words, df, 100000);
  CHECK(std::count(stopped.begin(), stopped.end(), true) == 0);
  CHECK(stop_columns({}, {}, 0).empty());
}

TEST_CASE(
    "no topic holds more than a tenth of a large collection, unless its documents are alike") {
  // Six rows of units, with 1,200 documents of 2,000, have one subject; the others have eight.
  const SomLattice lattice{10, 10, true, false};
  const std::vector<std::uint32_t> hits(lattice.units(), 20);
  const auto largest = [&](float alike, std::size_t count) {
    SomCodebook codebook{lattice.units(), 9, {}};
    codebook.weight.resize(std::size_t{codebook.units} * codebook.columns);
    for (std::uint32_t u = 0; u < codebook.units; ++u) {
      const bool is_common = u < 60;
      codebook.column(is_common ? 0 : 1 + (u - 60) / 5)[u] = is_common ? alike : 0.8F;
    }
    std::vector<std::uint32_t> documents(lattice.units());
    for (const std::uint32_t group : group_units(lattice, SparseCodebook(codebook), hits, count))
      documents[group] += 20;
    return *std::max_element(documents.begin(), documents.end());
  };
  CHECK(largest(0.3F, 0) <= 200);
  CHECK(largest(0.9F, 0) == 1200);
  CHECK(largest(0.3F, 9) == 1200);
}

TEST_CASE("the number of topics follows the number of units") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  for (const auto& [side, fewest, most] : {std::tuple(1, 1u, 1u), {4, 3u, 6u}, {12, 9u, 18u}}) {
    TrainTopicsRequest request = small_request();
    request.topics = 0;
    request.rows = request.columns = side;
    const std::size_t topics = train_topics(Engine(path, {}), request)->topics.size();
    CAPTURE(side, topics);
    CHECK(topics >= fewest);
    CHECK(topics <= most);
  }
}
