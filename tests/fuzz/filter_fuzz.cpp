// Filters: any query either matches documents of a small index, or is refused by an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kindred::test::Collection collection;
  static const kindred::Engine engine(collection.path, kindred::test::on_cpu());
  try {
    engine.matching(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const kindred::Error&) {
  }
  return 0;
}
