// Paths that no file can have: everything that opens one refuses it and shows where it goes wrong.
#include <filesystem>
#include <fstream>

#include "config/settings.h"
#include "plugin/engine.h"
#include "plugin/input/record_reader.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/ingest.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;

TEST_CASE("a path with a zero byte is refused, and shown") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / std::string("a\0b", 3);
  const std::string good = directory / "good.db";
  Ingest(good, Settings{}, {}).commit();
  Settings words;
  words.analyzer.stem_overrides = path;
  const std::vector<std::pair<std::string, std::function<void()>>> openings = {
      {"a database", [&] { Engine(path, Settings{}); }},
      {"a database", [&] { Ingest(path, Settings{}, {}); }},
      {"a database", [&] { test::edit_tags(path, Settings{}, {"id"}, {}); }},
      {"a database", [&] { write_tuning(path, Tuning{}); }},
      {"a database", [&] { remove_tuning(path); }},
      {"an input file", [&] { RecordReader{path}; }},
      {"the settings file", [&] { load_settings(path); }},
      {"this file of", [&] { Engine(good, words); }}};
  for (const auto& [what, open] : openings) {
    CAPTURE(what);
    CHECK(code_of(open, "/a\\x00b: expected the path of " + what) == Errc::kInvalidArgument);
  }
}

TEST_CASE("stubs that list each other without end are refused, and named") {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "self") << "auto self\n";
  std::ofstream(directory / "one") << "auto two\n";
  std::ofstream(directory / "two") << "# the other\nauto " << directory / "one"
                                   << "\n";
  std::filesystem::create_directory(directory / "folder");
  std::ofstream(directory / "folder/XAPIANDB") << "auto ../folder\n";
  for (const std::string name : {"self", "one", "folder"}) {
    CAPTURE(name);
    const std::string path = directory / name;
    CHECK(code_of([&] { Engine(path, Settings{}); }, "list each other") == Errc::kCorrupt);
    CHECK(code_of([&] { Ingest(path, Settings{}, {}); }, directory / "") == Errc::kCorrupt);
  }
}

TEST_CASE("stubs of stubs are opened, unless they list too many databases or are too large") {
  const test::TemporaryDirectory directory;
  Ingest(directory / "db", Settings{}, {}).commit();
  std::ofstream(directory / "0") << "auto db\n";
  for (int level = 1; level < 8; ++level) {
    std::ofstream stub(directory / std::to_string(level));
    for (int i = 0; i < (level < 3 ? 1 : 10); ++i) stub << "auto " << level - 1 << "\n";
  }
  CHECK(code_of([&] { Engine(directory / "2", Settings{}); }) == Errc::kOk);
  CHECK(code_of([&] { Engine(directory / "7", Settings{}); }, "at most 10000 databases") ==
        Errc::kCorrupt);
  std::ofstream(directory / "large") << std::string(2 << 20, '#') << "\nauto db\n";
  CHECK(code_of([&] { Engine(directory / "large", Settings{}); }, "the stub cannot be read") ==
        Errc::kInvalidArgument);
}
