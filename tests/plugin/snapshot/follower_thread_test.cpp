#include "plugin/snapshot/follower_thread.h"

#include <xapian.h>

#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/plugin/snapshot/changing_database.h"

using namespace kindred;
using namespace std::chrono_literals;
using test::ChangingDatabase;
using test::TemporaryDirectory;
using test::TemporaryPath;

namespace {

/// Waits until something holds, for at most 20 seconds. True if it does.
template <typename Holds>
bool soon(Holds&& holds) {
  for (int i = 0; i < 2000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return holds();
}

Settings following(const std::string& follow, std::int64_t staleness_ms) {
  Settings settings = kindred::test::on_cpu(1);
  settings.mirror.follow = follow;
  settings.mirror.max_staleness_ms = staleness_ms;
  return settings;
}

}  // namespace

TEST_CASE_METHOD(TemporaryPath,
                 "an engine that follows its index answers from it soon after each commit") {
  ChangingDatabase changing(path, 21);
  changing.change(50);
  const Engine engine(path, following("poll", 10));
  for (int i = 0; i < 5; ++i) {
    changing.change(20);
    const std::uint64_t revision = changing.database().get_revision();
    CHECK(soon([&] { return engine.status().revision == revision; }));
    CHECK(engine.status().documents == changing.documents().size());
  }
}

TEST_CASE("a commit to any shard of a stub is followed") {
  const TemporaryDirectory directory;
  ChangingDatabase one(directory / "one", 22), two(directory / "two", 23);
  one.change(20);
  two.change(20);
  const std::string path = directory / "stub";
  std::ofstream(path) << "auto one\nauto two\n";
  const Engine engine(path, following("poll", 10));
  for (ChangingDatabase* const shard : {&two, &one, &two}) {
    shard->change(15);
    const auto documents = one.documents().size() + two.documents().size();
    CHECK(soon([&] { return engine.status().documents == documents; }));
  }
}

TEST_CASE("the look that fails is told once, and repeated") {
  std::mutex mutex;
  std::vector<std::string> said;
  std::atomic<int> looks = 0;
  {
    MirrorSettings settings;
    settings.max_staleness_ms = 10;
    const FollowerThread thread(
        settings,
        [&] {
          if (++looks <= 3) throw std::runtime_error("the disk is gone");
        },
        [&](const std::string& message) {
          const std::lock_guard lock(mutex);
          said.push_back(message);
        });
    CHECK(soon([&] { return looks > 5; }));
  }
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("the disk is gone") != std::string::npos);
}

TEST_CASE("a mirror is saved when the index is closed, where the settings say, if it changed") {
  const TemporaryDirectory directory;
  const std::string path = directory / "db", mirrors = directory / "mirrors";
  std::filesystem::create_directory(mirrors);
  ChangingDatabase changing(path, 24);
  changing.change(100);
  Settings settings = following("off", 1000);
  { const Engine never(path, settings); }
  CHECK(std::filesystem::is_empty(mirrors));
  settings.mirror.save = "close";
  settings.mirror.directory = mirrors;
  { const Engine closing(path, settings); }
  const std::string file = mirrors + "/" + changing.database().get_uuid() + ".kindred-mirror";
  REQUIRE(std::filesystem::exists(file));
  CHECK_FALSE(std::filesystem::exists(path + "/kindred.mirror"));
  const auto written = std::filesystem::last_write_time(file);
  std::vector<std::string> said;
  const auto log = [&](const std::string& message) { said.push_back(message); };
  { const Engine same(path, settings, log); }
  CHECK(std::filesystem::last_write_time(file) == written);
  REQUIRE_FALSE(said.empty());
  CHECK(said[0].find("saved mirror: read 0 documents") != std::string::npos);
  changing.change(100);
  { const Engine changed(path, settings); }
  CHECK(std::filesystem::last_write_time(file) > written);
}

TEST_CASE_METHOD(TemporaryPath,
                 "a mirror that cannot be saved when the index is closed is told to the log") {
  ChangingDatabase changing(path, 25);
  changing.change(10);
  Settings settings = following("off", 1000);
  settings.mirror.save = "close";
  settings.mirror.directory = directory / "missing";
  std::vector<std::string> said;
  {
    const Engine engine(path, settings, [&](const std::string& line) { said.push_back(line); });
  }
  REQUIRE_FALSE(said.empty());
  CHECK(said.back().find("the mirror was not saved: ") == 0);
}

TEST_CASE_METHOD(TemporaryPath, "a follower saves the mirror when much has changed") {
  ChangingDatabase changing(path, 26);
  changing.change(100);
  Settings settings = following("poll", 10);
  settings.mirror.save = "follow";
  const Engine engine(path, settings);
  CHECK(soon([&] { return std::filesystem::exists(path + "/kindred.mirror"); }));
}

TEST_CASE("a thread that follows an index goes on, whatever was thrown") {
  std::mutex mutex;
  std::vector<std::string> messages;
  std::atomic<int> looks = 0;
  const auto look = [&] {
    const int number = ++looks;
    if (number == 1) throw Xapian::DatabaseError("blocks are missing");
    if (number == 2) throw number;
  };
  const auto log = [&](const std::string& message) {
    const std::lock_guard lock(mutex);
    messages.push_back(message);
  };
  const FollowerThread follower(following("poll", 10).mirror, look, log);
  CHECK(soon([&] { return looks >= 4; }));
  const std::lock_guard lock(mutex);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].find("blocks are missing") != std::string::npos);
  CHECK(messages[1].find("unknown exception") != std::string::npos);
}
