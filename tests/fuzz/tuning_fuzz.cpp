// The tuning of an index, and what an engine does with a tuning that passes its checks. The first
// byte says whether the rest is a whole file, or the body of one that gets a correct first line.
#include <zlib.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "config/error.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/tuning_collection.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

constexpr const char* kUuid = "00000000-0000-4000-8000-000000000000";

std::string vouched_for(std::string_view body) {
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  crc = crc32_z(crc, reinterpret_cast<const Bytef*>("10"), 2);
  char line[100];
  std::snprintf(line, sizeof line, "kindred-tuning 10 %zu %lx\n", body.size(), crc);
  return line + std::string(body);
}

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
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool whole = (test::take_byte(input) & 1) != 0;
  folder.put("db.kindred-tuning", whole ? std::string(input) : vouched_for(input));
  try {
    if (auto tuning = read_tuning(folder / "db", kUuid)) index.follow(std::move(*tuning));
  } catch (const Error&) {
  }
  return 0;
}
