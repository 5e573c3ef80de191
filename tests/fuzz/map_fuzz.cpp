// What the file of a map of topics holds, and questions to a map that passes its checks. An input
// has four arrays, each behind its number of values in one byte, and then what is in CBOR.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/topic_map_file.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

/// Takes an array from the front of an input.
template <typename T>
std::vector<T> take_values(std::string_view& input) {
  const std::size_t wanted = test::take_byte(input);
  std::vector<T> values(std::min(wanted, input.size() / sizeof(T)));
  if (!values.empty()) std::memcpy(values.data(), input.data(), values.size() * sizeof(T));
  input.remove_prefix(values.size() * sizeof(T));
  return values;
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
  const auto idf = take_values<double>(input);
  const auto column_begin = take_values<std::uint64_t>(input);
  const auto unit = take_values<std::uint32_t>(input);
  const auto weight = take_values<float>(input);

  SectionWriter writer("kindred-som    3");
  writer.add(1, input);
  writer.add(2, idf);
  writer.add(3, column_begin);
  writer.add(4, unit);
  writer.add(5, weight);
  const std::string path = folder / "db.kindred-som";
  writer.write(index_file(path), 1);
  try {
    use(*load_topic_map(path));
  } catch (const Error&) {
  }
  return 0;
}
