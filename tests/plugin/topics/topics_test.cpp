// Maps of an index through the engine: topics, places, files, ingest.
#include <sys/stat.h>

#include "plugin/learning.h"
#include "plugin/store/string_table.h"
#include "plugin/store/terms.h"
#include "plugin/topics/sparse_codebook.h"
#include "plugin/topics/topic_map.h"
#include "plugin/topics/topic_map_file.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/ingest.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_limit.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/thread_limit.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::file_text;
using test::kSubjects;
using test::make_database;
using test::small_request;
using test::TopicsIndex;

TEST_CASE_METHOD(TopicsIndex, "topics are the subjects, named by words as people write them") {
  const auto map = train_topics(engine, small_request());
  REQUIRE(map->topics.size() == 4);
  CHECK(map->agreement.documents == 200);
  CHECK(map->agreement.topic_purity == 1);
  std::uint64_t documents = 0;
  for (const Topic& topic : map->topics) {
    documents += topic.documents;
    const TopicDocument typical = Reading(engine).describe(topic.typical).front();
    const std::string& id = typical.id;
    const auto subject = std::find_if(kSubjects.begin(), kSubjects.end(),
                                      [&](const auto& pair) { return id.starts_with(pair.first); });
    REQUIRE(subject != kSubjects.end());
    const std::string words = subject->first + " " + subject->second;
    for (std::size_t i = 0; i < 3; ++i) CHECK(words.find(topic.terms[i].word) != std::string::npos);
    CHECK(!topic.neighbors.empty());
    CHECK(typical.title.starts_with("about "));
  }
  CHECK(documents == 200);
}

TEST_CASE("a document is placed on the map in hand, also when another one has taken its place") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  const Engine engine(path, test::on_cpu(1));
  Engine other(path, test::on_cpu(1));
  train_topics(other, small_request());
  const auto map = Reading(engine).topic_map();
  const TopicPlacement before = Reading(engine).topic_of(UniqueId{"sea0"}, *map);

  TrainTopicsRequest request = small_request();
  request.topics = 1;
  request.seed = 7;
  train_topics(other, request);
  REQUIRE(Reading(engine).topic_map()->topics.size() < map->topics.size());
  CHECK(Reading(engine).topic_of(UniqueId{"sea0"}, *map).topic == before.topic);
  CHECK(engine.topic_of(UniqueId{"sea0"}).topic == 1);
}

TEST_CASE("a topic shows its documents as the index has them now") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  Engine engine(path, test::on_cpu(1));
  const auto map = train_topics(engine, small_request());
  std::vector<TopicDocument> typical = Reading(engine).describe(map->topics.front().typical);
  REQUIRE(typical.size() >= 3);

  const std::string gone = typical[0].id, replaced = typical[1].id;
  delete_documents(engine, std::vector{gone});
  {
    Ingest ingest(engine);
    ingest.add(test::record(replaced, "another title"));
    ingest.commit();
  }
  engine.refresh();
  typical = Reading(engine).describe(map->topics.front().typical);
  CHECK(std::ranges::none_of(typical, [&](const auto& each) { return each.id == gone; }));
  CHECK(typical.front().id == replaced);
  CHECK(typical.front().title.starts_with("another title"));
}

TEST_CASE("a map is made where the system gives no thread, and takes none that is not allowed") {
  const test::TemporaryDirectory directory;
  Settings settings = test::on_cpu(GENERATE(1, 4));
  Engine engine(make_database(directory / "topics.db"), settings);
  const test::ThreadLimit limit(0);
  CHECK(train_topics(engine, small_request())->topics.size() == 4);
  CHECK((limit.wanted() > 0) == (settings.backend.threads > 1));
}

TEST_CASE_METHOD(TopicsIndex, "documents and texts lie in the topic of their subject") {
  const auto map = train_topics(engine, small_request());
  const auto sea = engine.topic_of(UniqueId{"sea0"}).topic;
  REQUIRE(sea);
  CHECK(engine.topic_of(UniqueId{"sea44"}).topic == sea);
  CHECK(engine.topic_of(test::record("", "a sailor sailed his ship into the harbor")).topic == sea);
  CHECK(engine.topic_of(UniqueId{"music1"}).topic != sea);
  const api::TopicPlace strange = engine.topic_of(test::record("", "quarks gluons muons bosons"));
  CHECK(strange.novelty == 1);
  CHECK_FALSE(strange.topic);
  CHECK(engine.topic_of(UniqueId{"sea0"}).novelty < 1);
  CHECK(code_of([&] { engine.topic_of(UniqueId{"nobody"}); }) == Errc::kNotFound);
  std::uint64_t in_unit = 0;
  for (const PlacedDocument& document :
       Reading(engine).placed_documents(engine.matching("")).documents)
    in_unit += document.place.unit == engine.topic_of(UniqueId{"sea0"}).unit ? 1 : 0;
  CHECK(in_unit == map->units[*engine.topic_of(UniqueId{"sea0"}).unit].documents);
}

TEST_CASE("a map outlives its engine, and the same seed gives the same file") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  api::TopicPlace before;
  {
    Engine engine(path, Settings{});
    train_topics(engine, small_request());
    before = engine.topic_of(UniqueId{"space3"});
  }
  Engine engine(path, Settings{});
  const auto map = Reading(engine).topic_map();
  CHECK(engine.topic_of(UniqueId{"space3"}).unit == before.unit);
  CHECK(engine.topic_of(UniqueId{"space3"}).distance == before.distance);
  CHECK(std::filesystem::exists(path + "/kindred.som"));
  train_topics(engine, small_request());
  CHECK(Reading(engine).topic_map()->codebook->weight() == map->codebook->weight());
  TrainTopicsRequest resumed = small_request();
  resumed.resume = true;
  resumed.epochs = 50;
  CHECK(train_topics(engine, resumed)->origin.epochs < 50);
}

TEST_CASE("a map keeps terms that are no text, and finds them again") {
  const test::TemporaryDirectory directory;
  Engine engine(make_database(directory / "topics.db"), Settings{});
  TopicMap map = *train_topics(engine, small_request());

  const std::string bytes("Z\xff\0b", 4);
  auto terms = std::make_shared<StringTable>();
  for (std::uint32_t column = 0; column < map.terms->size(); ++column)
    terms->push_back(column == 0 ? std::string_view(bytes) : (*map.terms)[column]);
  terms->index();
  map.terms = terms;

  const std::string file = directory / "map";
  save_topic_map(map, file);
  CHECK(load_topic_map(file)->column_of(bytes) == 0);
}

TEST_CASE("a file that is not a map of this index is refused by name") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db"), file = path + "/kindred.som";
  Engine engine(path, Settings{});
  CHECK(code_of([&] { Reading(engine).topic_map(); }) == Errc::kNotFound);
  const TopicMap sound = *train_topics(engine, small_request());
  const std::string good = file_text(file);

  std::string damaged = good;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  for (const std::string& bad : {damaged, good.substr(0, good.size() / 2), std::string("junk")}) {
    std::ofstream(file, std::ios::binary) << bad;
    CHECK(code_of([&] { Reading(Engine(path, Settings{})).topic_map(); },
                  file + ": the map is damaged: ") == Errc::kCorrupt);
  }
  std::ofstream(file, std::ios::binary) << "kindred-som 2\n" << std::string(100, '{');
  CHECK(code_of([&] { Reading(Engine(path, Settings{})).topic_map(); },
                "the map is of another version: expected 'kindred-som    3'") ==
        Errc::kUnsupported);
  const std::function<void(TopicMap&)> faults[] = {
      [](TopicMap& map) { map.idf[0] = std::numeric_limits<double>::quiet_NaN(); },
      [](TopicMap& map) { map.idf.pop_back(); },
      [](TopicMap& map) {
        map.codebook = std::make_shared<const SparseCodebook>(
            SomCodebook{map.codebook->units(), 1, std::vector<float>(map.codebook->units())});
      },
      [](TopicMap& map) { map.topics[0].neighbors = {1000}; },
      [](TopicMap& map) { map.units[0].topic = 0; },
      [](TopicMap& map) { map.origin.weighting = "xyz"; },
      [](TopicMap& map) { map.origin.rows = map.origin.columns = 0xFFFFFFFF; },
      [](TopicMap& map) {
        SomCodebook huge{map.codebook->units(), map.codebook->columns(), {}};
        huge.weight.assign(std::size_t{huge.units} * huge.columns, 1e30f);
        map.codebook = std::make_shared<const SparseCodebook>(huge);
      }};
  for (const auto& fault : faults) {
    TopicMap map = sound;
    fault(map);
    save_topic_map(map, file);
    CHECK(code_of([&] { load_topic_map(file); }, file) == Errc::kCorrupt);
  }
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK(code_of([&] { Reading(Engine(path, Settings{})).topic_map(); }, file) ==
        Errc::kInvalidArgument);
  std::filesystem::remove(file);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  CHECK(code_of([&] { Reading(Engine(path, Settings{})).topic_map(); }, "FIFO") ==
        Errc::kInvalidArgument);
  const std::string other = make_database(directory / "other.db");
  std::ofstream(other + "/kindred.som", std::ios::binary) << good;
  CHECK(code_of([&] { Reading(Engine(other, Settings{})).topic_map(); }) == Errc::kInvalidArgument);
}

TEST_CASE_METHOD(TopicsIndex, "training that fails leaves the map that was there") {
  train_topics(engine, small_request());
  const std::string before = file_text(path + "/kindred.som");

  {
    const test::FileLimit limit(1024);
    CHECK(code_of([&] { train_topics(engine, small_request()); }) == Errc::kDatabase);
  }
  CHECK(file_text(path + "/kindred.som") == before);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    files += entry.path().filename().string().starts_with("kindred.som") ? 1 : 0;
  CHECK(files == 1);
  CHECK(Reading(engine).topic_map()->topics.size() == 4);
}

TEST_CASE_METHOD(TopicsIndex,
                 "requests out of range are refused, small and empty indexes defined") {
  TrainTopicsRequest request = small_request();
  request.rows = 0;
  CHECK(code_of([&] { train_topics(engine, request); }) == Errc::kInvalidArgument);
  request = small_request();
  request.lattice = "round";
  CHECK(code_of([&] { train_topics(engine, request); }) == Errc::kInvalidArgument);
  request = small_request();
  request.start = "anywhere";
  CHECK(code_of([&] { train_topics(engine, request); }) == Errc::kInvalidArgument);
  request.start = "plane";
  request.rows = request.columns = 1;
  CHECK(train_topics(engine, request)->topics.size() == 1);
  request.rows = request.columns = 30;  // more units than documents
  CHECK(train_topics(engine, request)->units.size() == 900);

  const std::string empty = directory / "empty.db";
  Ingest(empty, Settings{}).commit();
  CHECK(code_of([&] { train_topics(Engine(empty, Settings{}), small_request()); }) ==
        Errc::kInvalidArgument);
}

TEST_CASE("ingest gives new documents topic, unit and novelty where there is a map") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  const Settings settings;
  CHECK(!Xapian::Database(path).term_exists("XTOPIC1"));
  Engine engine(path, settings);
  train_topics(engine, small_request());
  const api::TopicPlace sea = engine.topic_of(UniqueId{"sea0"});
  test::ingest(path, {test::record("new", "ships sailing harbors sailors")});
  const Xapian::Database database(path);
  const Xapian::Document document = database.get_document(*database.postlist_begin("Qnew"));
  auto term = document.termlist_begin();
  term.skip_to("XTOPIC");
  CHECK(*term == "XTOPIC" + std::to_string(*sea.topic));
  term.skip_to("XUNIT");
  CHECK(value_under("XUNIT", *term).has_value());
  const std::string value = document.get_value(7002);
  CHECK(value.find("\"topic\":" + std::to_string(*sea.topic)) != std::string::npos);
  CHECK(value.find("\"novelty\":") != std::string::npos);
}
