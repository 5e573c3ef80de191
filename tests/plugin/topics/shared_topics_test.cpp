// Maps that several processes train together: each has its own engine, on the same index.
#include <xapian.h>

#include "plugin/learning.h"
#include "plugin/topics/topic_map.h"
#include "plugin/topics/topic_map_file.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/som_processes.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::small_request;
using test::SomProcesses;
using MapPointer = std::shared_ptr<const TopicMap>;

namespace {

/// The map of one process. The metadata of the index remember a map from then on, so that later
/// maps are all of one revision.
MapPointer trained_alone(const std::string& path, const TrainTopicsRequest& request) {
  train_topics(Engine(path, test::on_cpu(2)), request);
  return train_topics(Engine(path, test::on_cpu(2)), request);
}

/// The map of the first of so many processes, the only one that gets one.
MapPointer trained_by(std::size_t size, const std::string& path,
                      const TrainTopicsRequest& request) {
  std::vector<MapPointer> maps(size);
  SomProcesses(size).run([&](std::size_t process, SomExchange& others) {
    Engine engine(path, test::on_cpu(1 + process % 2));
    maps[process] = train_topics(engine, request, {}, &others);
  });
  for (std::size_t process = 1; process < size; ++process) CHECK(maps[process] == nullptr);
  return maps[0];
}

/// The bytes of a map's file, but for how long training took.
std::string bytes_of(const TopicMap& map, const std::string& path) {
  TopicMap timeless = map;
  timeless.origin.seconds = 0;
  save_topic_map(timeless, path);
  return test::file_text(path);
}

}  // namespace

TEST_CASE("the file of a map has the same bytes for any number of processes") {
  const test::TemporaryDirectory directory;
  const std::string path = test::make_database(directory / "topics.db"), file = directory / "map";
  TrainTopicsRequest request = small_request();
  request.start = GENERATE("plane", "documents", "uniform");
  CAPTURE(request.start);
  const std::string expected = bytes_of(*trained_alone(path, request), file);
  TrainTopicsRequest resumed;
  resumed.resume = true;
  resumed.topics = 4;
  const std::string expected_resumed =
      bytes_of(*train_topics(Engine(path, test::on_cpu(2)), resumed), file);
  for (const std::size_t size : {1, 2, 3, 4}) {
    CAPTURE(size);
    CHECK((bytes_of(*trained_by(size, path, request), file) == expected));
    CHECK((bytes_of(*load_topic_map(path + "/kindred.som"), file) == expected));
    CHECK((bytes_of(*trained_by(size, path, resumed), file) == expected_resumed));
  }
}

TEST_CASE("processes may be more than documents, and say that there are none") {
  const test::TemporaryDirectory directory;
  const std::string few = directory / "few.db", none = directory / "none.db";
  const std::string file = directory / "map";
  test::ingest(few, {test::record("1", "ships sail"), test::record("2", "ships sink")});
  test::ingest(none, {});
  const std::string alone = bytes_of(*trained_alone(few, small_request()), file);
  CHECK((bytes_of(*trained_by(5, few, small_request()), file) == alone));
  CHECK(code_of([&] { trained_by(3, none, small_request()); }, "nothing to make a map of") ==
        Errc::kInvalidArgument);
}

TEST_CASE("processes with different indexes, requests or maps to resume are refused") {
  const test::TemporaryDirectory directory;
  const std::string path = test::make_database(directory / "topics.db");
  const std::string other = directory / "copy.db";
  train_topics(Engine(path, test::on_cpu(1)), small_request());
  std::filesystem::copy(path, other, std::filesystem::copy_options::recursive);
  TrainTopicsRequest request = small_request();
  request.epochs = 3;
  const auto train = [&](TrainTopicsRequest of_second, const std::string& path_of_second) {
    SomProcesses(2).run([&](std::size_t process, SomExchange& others) {
      Engine engine(process == 0 ? path : path_of_second, test::on_cpu(1));
      train_topics(engine, process == 0 ? request : of_second, {}, &others);
    });
  };
  TrainTopicsRequest longer = request;
  longer.epochs = 4;
  CHECK(code_of([&] { train(longer, path); }, "rank 1 has another request than rank 0") ==
        Errc::kInvalidArgument);

  train_topics(Engine(other, test::on_cpu(1)), request);
  request = TrainTopicsRequest();
  request.resume = true;
  CHECK(code_of([&] { train(request, other); }, "rank 1 has another checksum of the map") ==
        Errc::kInvalidArgument);

  Xapian::WritableDatabase(other, Xapian::DB_OPEN).set_metadata("other", "program");
  CHECK(code_of([&] { train(request, other); }, "rank 1 has another revision of the index") ==
        Errc::kInvalidArgument);
}
