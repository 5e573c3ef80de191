// The file of a map of topics, and questions to a map that passes its checks. The first byte says
// whether the rest is a whole file, or one that still needs its checksum.
#include <zlib.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/error.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/map_file.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

std::string with_checksum(std::string_view bytes) {
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  std::string file(bytes);
  for (int byte = 0; byte < 4; ++byte) file += static_cast<char>(crc >> 8 * byte & 0xFF);
  return file;
}

void use(const TopicMap& map) {
  map.place(TermBag{{"Zship", 3}, {"Zstrange", 1}});
  map.place(TermBag{});
  MapCounts all;
  for (std::uint32_t column = 0; column < map.terms->size(); ++column)
    all.known.emplace_back(column, column + 1);
  map.place(std::move(all));
  map.column_of("ship");
  for (std::uint32_t column = 0; column < map.terms->size(); ++column) map.plane(column);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::InputFolder folder;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool whole = (test::take_byte(input) & 1) != 0;
  const std::string path =
      folder.put("db.kindred-som", whole ? std::string(input) : with_checksum(input));
  try {
    use(*load_topic_map(path));
  } catch (const Error&) {
  }
  return 0;
}
