// What the file of a tuning holds, and what an engine does with a tuning that passes its checks.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/error.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/tuning_collection.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

constexpr const char* kUuid = "00000000-0000-4000-8000-000000000000";

/// An index, and an engine that follows the tuning beside it.
struct TunedIndex {
  test::TopicalCollection collection{40};
  Settings settings;
  Engine engine{collection.path, (settings.backend.kind = "cpu", settings)};

  void follow(Tuning tuning) {
    tuning.uuid = engine.status().uuid;
    write_tuning(collection.path, tuning);
    try {
      engine.refresh();
      engine.classify(test::record("", "topic1w1x topic1w2x shared3x"));
      engine.classify(test::record("", ""));
    } catch (const Error&) {
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::InputFolder folder;
  static TunedIndex index;
  SectionWriter writer("kindred-tuning15");
  writer.add(1, std::string_view(reinterpret_cast<const char*>(data), size));
  writer.write(index_file(folder / "db.kindred-tuning"), 1);
  try {
    if (auto tuning = read_tuning(folder / "db", kUuid)) index.follow(std::move(*tuning));
  } catch (const Error&) {
  }
  return 0;
}
