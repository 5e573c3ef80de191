// The file of a map: the line "kindred-som 1", a line of JSON with all that is text or small, the
// arrays it announces, and the CRC-32 of everything before it. Numbers are little-endian.
#include "plugin/topics/file.h"

#include <zlib.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/smart_weighting.h"
#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/store/index_file.h"
#include "plugin/store/string_table.h"
#include "plugin/store/whole_number.h"
#include "plugin/topics/header.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "kindred-som 1\n";
constexpr std::size_t kMaxBytes = std::size_t{16} << 30;  ///< a million units in full
constexpr const char* kRemedy = "; make it again with 'kindred topics train'";
static_assert(std::endian::native == std::endian::little, "the file holds numbers as they are");

template <typename T>
void append(const std::vector<T>& values, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Takes an array of `size` values from the front.
template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() / sizeof(T) < size) throw Error(Errc::kCorrupt, "it ends too early");
  std::vector<T> values(size);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size * sizeof(T));
  bytes.remove_prefix(size * sizeof(T));
  return values;
}

std::uint32_t checksum(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib's lengths have 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kStep, bytes.size())))
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uInt>(std::min(kStep, bytes.size())));
  return static_cast<std::uint32_t>(crc);
}

/// All but the checksum.
std::string encode_parts(const TopicMap& map) {
  std::string bytes(kMagic);
  // A term may be any bytes. Bytes that are not UTF-8 become U+FFFD, so the term is no longer
  // found.
  Json header = topic_header(map);
  header["weights"] = map.codebook->weight().size();
  bytes += header.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  append(map.idf, bytes);
  append(map.codebook->column_begin(), bytes);
  append(map.codebook->unit(), bytes);
  append(map.codebook->weight(), bytes);
  return bytes;
}

std::string encode(const TopicMap& map) {
  std::string bytes = encode_parts(map);
  append(std::vector<std::uint32_t>{checksum(bytes)}, bytes);
  return bytes;
}

void check_parts(const TopicMap& map) {
  bool fits = !map.units.empty() && map.words.size() == map.terms->size() && map.spread.size() > 1;
  fits = fits && std::size_t{map.origin.rows} * map.origin.columns == map.units.size();
  for (const TopicUnit& unit : map.units) {
    fits = fits && unit.topic >= 1 && unit.topic <= map.topics.size();
    for (const std::uint32_t column : unit.columns) fits = fits && column < map.words.size();
  }
  for (const Topic& topic : map.topics)
    for (const std::uint32_t other : topic.neighbors)
      fits = fits && other >= 1 && other <= map.topics.size();
  for (const double idf : map.idf) fits = fits && std::isfinite(idf) && idf >= 0;
  fits = fits && std::is_sorted(map.spread.begin(), map.spread.end());
  if (!fits) throw Error(Errc::kCorrupt, "its parts do not fit together");
  SmartWeighting{map.origin.weighting};  // throws if the letters are unknown
}

/// `stamp`: of the file.
std::shared_ptr<const TopicMap> decode(std::string_view bytes, std::string stamp) {
  if (!bytes.starts_with(kMagic)) throw Error(Errc::kCorrupt, "it is not a map of this version");
  if (bytes.size() < kMagic.size() + sizeof(std::uint32_t))
    throw Error(Errc::kCorrupt, "it ends too early");
  std::string_view end = bytes.substr(bytes.size() - sizeof(std::uint32_t));
  bytes.remove_suffix(sizeof(std::uint32_t));
  if (take<std::uint32_t>(end, 1)[0] != checksum(bytes))
    throw Error(Errc::kCorrupt, "its checksum is wrong");
  bytes.remove_prefix(kMagic.size());
  const std::size_t line = std::min(bytes.find('\n'), bytes.size() - 1);
  const Json header = Json::parse(bytes.substr(0, line));
  bytes.remove_prefix(line + 1);
  const std::size_t columns = header.at("terms").size(), units = header.at("units").size();
  TopicMapArrays arrays;
  arrays.idf = take<double>(bytes, columns);
  auto begin = take<std::uint64_t>(bytes, columns + 1);
  const auto weights = whole_number<std::size_t>(header.at("weights"));
  auto unit = take<std::uint32_t>(bytes, weights);
  arrays.codebook =
      std::make_shared<const SparseCodebook>(static_cast<std::uint32_t>(units), std::move(begin),
                                             std::move(unit), take<float>(bytes, weights));
  auto map =
      std::make_shared<const TopicMap>(topic_map_of(header, std::move(arrays), std::move(stamp)));
  check_parts(*map);
  return map;
}

}  // namespace

void save_topic_map(const TopicMap& map, const std::string& path) {
  const std::error_code fault = replace_index_file(path, encode(map));
  if (fault) throw Error(Errc::kDatabase, path + ": the map cannot be written: " + fault.message());
}

std::uint32_t topic_map_checksum(const TopicMap& map) { return checksum(encode_parts(map)); }

std::shared_ptr<const TopicMap> load_topic_map(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault))
    throw Error(Errc::kNotFound, path + ": there is no map; make one with 'kindred topics train'");
  const FileContent file = read_regular_file(path, "the map", kMaxBytes);
  try {
    return decode(file.bytes, file.stamp);
  } catch (const nlohmann::json::exception&) {
    throw Error(Errc::kCorrupt, path + ": the map is damaged: its header cannot be read" + kRemedy);
  } catch (const Error& e) {
    throw Error(Errc::kCorrupt, path + ": the map is damaged: " + e.what() + kRemedy);
  }
}

void check_topic_map(const TopicMap& map, const std::string& path, const KeptFiles& kept) {
  if (kept.has_uuid(map.origin.uuid)) return;
  throw Error(Errc::kInvalidArgument, path + ": the map was made of database " + map.origin.uuid +
                                          ", but this one is " + kept.uuids.back() +
                                          "; train it again");
}

}  // namespace kindred
