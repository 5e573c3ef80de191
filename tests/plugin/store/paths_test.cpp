// Paths that no file can have: everything that opens one refuses it and shows where it goes wrong.
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
