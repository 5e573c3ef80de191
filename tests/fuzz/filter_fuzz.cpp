// Filters: any query either matches documents of a small index, or is refused by an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "plugin/engine.h"
#include "tests/fixtures/small_collection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kindred::test::Collection collection;
  static const kindred::Engine engine = [] {
    kindred::Settings settings;
    settings.backend.kind = "cpu";
    return kindred::Engine(collection.path, settings);
  }();
  try {
    engine.matching(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const kindred::Error&) {
  }
  return 0;
}
