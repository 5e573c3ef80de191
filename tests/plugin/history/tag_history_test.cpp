// The history of tags beside an index: who may write it, and what becomes of its file.
#include "plugin/history/tag_history.h"

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

/// An empty index.
struct Index : test::TemporaryPath {
  Index() {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE);
    database.commit();
    settings.index.profile = "none";
  }

  std::string file() const { return history_path(path); }
  std::string uuid() const { return Xapian::Database(path).get_uuid(); }

  struct Read {
    HistorySummary summary;
    std::vector<std::string> ids;
    std::vector<std::uint64_t> numbers;
  };
  Read read() const {
    Read all;
    all.summary = read_history(path, {uuid()}, [&](const HistoryEntry& entry) {
      all.ids.push_back(entry.change.id);
      all.numbers.push_back(entry.number);
    });
    return all;
  }

  Settings settings;
};

void append(TagHistory& history, const std::string& id) {
  HistoryBatch batch;
  batch.add({id, 1, {{"label", 0, kGivenState, 0}}});
  history.append(batch);
}

void append(const Index& index, const std::string& id) {
  TagHistory history(index.path, index.settings, "", "edit");
  append(history, id);
}

}  // namespace

TEST_CASE("changes of a history are numbered, and a run has the number of its first") {
  const Index index;
  append(index, "a");
  TagHistory run(index.path, index.settings, "", "tag");
  CHECK(run.run() == 0);
  append(run, "b");
  append(run, "c");
  CHECK(run.run() == 2);
  CHECK(index.read().ids == std::vector<std::string>{"a", "b", "c"});
  CHECK(index.read().numbers == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("several writers of a history lose nothing") {
  const Index index;
  const auto write = [&] {
    TagHistory history(index.path, index.settings, "", "tag");
    for (int i = 0; i < 100; ++i) append(history, "x");
  };
  std::thread other(write);
  write();
  other.join();
  const Index::Read read = index.read();
  REQUIRE(read.numbers.size() == 200);
  for (std::size_t i = 0; i < 200; ++i) CHECK(read.numbers[i] == i + 1);
}

TEST_CASE("the end of a history that a killed writer left is cut off by the next one") {
  const Index index;
  append(index, "a");
  append(index, "b");
  std::filesystem::resize_file(index.file(), std::filesystem::file_size(index.file()) - 3);
  CHECK(index.read().summary.damaged > 0);

  append(index, "c");
  CHECK(index.read().ids == std::vector<std::string>{"a", "c"});
  CHECK(index.read().summary.damaged == 0);
}

TEST_CASE("a history of another index at the same place is left out, and not lost") {
  Index index;
  append(index, "a");
  const std::string kept = test::file_text(index.file());
  std::filesystem::remove_all(index.path);
  Xapian::WritableDatabase(index.path, Xapian::DB_CREATE).commit();
  test::put_file(index.file(), kept);

  append(index, "b");
  CHECK(index.read().ids == std::vector<std::string>{"b"});
  CHECK(index.read().summary.others == 1);
}

TEST_CASE("a history that grows beyond its limit loses its oldest changes") {
  Index index;
  index.settings.history.max_mb = 1;
  TagHistory history(index.path, index.settings, "", "tag");
  for (int i = 0; i < 5; ++i) {
    HistoryBatch batch;
    for (int j = 0; j < 5000; ++j) batch.add({std::string(50, 'x'), 1, {{"label", 0, 1, 0}}});
    history.append(batch);
  }
  CHECK(std::filesystem::file_size(index.file()) <= (std::size_t{1} << 20));
  CHECK(index.read().numbers.back() == 25'000);
  CHECK(index.read().numbers.front() > 1);
}

TEST_CASE("a history that is too long and breaks off keeps its latest whole changes") {
  Index index;
  TagHistory history(index.path, index.settings, "", "tag");
  HistoryBatch batch;
  for (int j = 0; j < 30'000; ++j) batch.add({std::string(50, 'x'), 1, {{"label", 0, 1, 0}}});
  history.append(batch);
  std::filesystem::resize_file(index.file(), std::filesystem::file_size(index.file()) - 1);

  index.settings.history.max_mb = 1;
  append(index, "last");
  CHECK(std::filesystem::file_size(index.file()) <= (std::size_t{1} << 20));
  REQUIRE(index.read().ids.size() > 1000);
  CHECK(index.read().ids.back() == "last");
}

TEST_CASE("changes that are too old go with the next one, also if the clock went back") {
  Index index;
  HistoryBlock block{1, 1, 1, 1'000, "anna", "edit", index.uuid()};
  std::string changes;
  put_change(changes, {"old", 1, {{"label", 0, kGivenState, 0}}});
  std::string bytes = framed_block(block, changes);
  block.first = 2;
  block.milliseconds = std::uint64_t{1} << 50;  // far in the future
  bytes += framed_block(block, changes);
  block.first = 3;
  block.milliseconds = 2'000;
  bytes += framed_block(block, changes);
  test::put_file(index.file(), bytes);

  append(index, "new");
  CHECK(index.read().numbers == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("a history is not kept where the settings say so, nor beside another program's files") {
  Index index;
  index.settings.history.keep = false;
  append(index, "a");
  index.settings.history.keep = true;
  index.settings.index.profile = "notmuch";
  append(index, "a");
  CHECK_FALSE(std::filesystem::exists(index.file()));

  // Files of Kindred are there already.
  test::put_file(index.path + "/kindred.tuning", "");
  append(index, "a");
  CHECK(std::filesystem::exists(index.file()));
}

TEST_CASE("a link where the history belongs is refused before anything changes") {
  const Index index;
  std::filesystem::create_symlink(index.directory / "elsewhere", index.file());
  const auto open = [&] { TagHistory(index.path, index.settings, "", "edit"); };
  CHECK(test::code_of(open, "expected a regular file") == Errc::kInvalidArgument);
  CHECK_FALSE(std::filesystem::exists(index.directory / "elsewhere"));
}
