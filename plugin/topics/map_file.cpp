// The file of a map: the line "kindred-som 2", a line of JSON with all that is text or small, the
// arrays it announces, and the CRC-32 of everything before it. Numbers are little-endian.
#include "plugin/topics/map_file.h"

#include <zlib.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/smart_weighting.h"
#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void read_value(const Json& json, T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_number<T>(json);
  } else {
    json.get_to(value);
  }
}

/// Calls visit(name, member) for each member of an origin.
template <typename Origin, typename Visit>
void visit_origin(Origin& origin, Visit&& visit) {
  visit("uuid", origin.uuid);
  visit("revision", origin.revision);
  visit("documents", origin.documents);
  visit("prefixes", origin.prefixes);
  visit("weighting", origin.weighting);
  visit("rows", origin.rows);
  visit("columns", origin.columns);
  visit("hexagonal", origin.hexagonal);
  visit("toroidal", origin.toroidal);
  visit("seed", origin.seed);
  visit("epochs", origin.epochs);
  visit("sigma_start", origin.sigma_start);
  visit("sigma_end", origin.sigma_end);
  visit("cut", origin.cut);
  visit("seconds", origin.seconds);
}

std::vector<std::uint32_t> numbers_from(const Json& list) {
  std::vector<std::uint32_t> numbers;
  for (const Json& number : list) numbers.push_back(whole_number<std::uint32_t>(number));
  return numbers;
}

}  // namespace

// The JSON library calls these for the parts of a map, and for lists of them.

static void to_json(Json& json, const TopicDocument& d) { json = {d.docid, d.similarity}; }

static void from_json(const Json& json, TopicDocument& d) {
  d = {whole_number<Xapian::docid>(json.at(0)), json.at(1)};
}

static void to_json(Json& json, const TopicTerm& t) { json = {t.term, t.word, t.score}; }

static void from_json(const Json& json, TopicTerm& t) { t = {json.at(0), json.at(1), json.at(2)}; }

static void to_json(Json& json, const Topic& topic) {
  json = {{"name", topic.name},
          {"documents", topic.documents},
          {"terms", topic.terms},
          {"typical", topic.typical},
          {"neighbors", topic.neighbors}};
}

static void from_json(const Json& json, Topic& topic) {
  topic = {0,
           json.at("name"),
           whole_number<std::uint64_t>(json.at("documents")),
           json.at("terms"),
           json.at("typical"),
           numbers_from(json.at("neighbors"))};
}

static void to_json(Json& json, const TopicUnit& unit) {
  json = {unit.x,      unit.y,     unit.topic,   unit.documents,
          unit.height, unit.label, unit.columns, unit.typical};
}

static void from_json(const Json& json, TopicUnit& unit) {
  unit = {json.at(0),
          json.at(1),
          whole_number<std::uint32_t>(json.at(2)),
          whole_number<std::uint32_t>(json.at(3)),
          json.at(4),
          json.at(5),
          numbers_from(json.at(6)),
          json.at(7)};
}

namespace {

std::shared_ptr<const StringTable> terms_from(const Json& list) {
  auto terms = std::make_shared<StringTable>();
  for (const Json& term : list) terms->push_back(term.get<std::string>());
  terms->index();
  return terms;
}

/// The parts of a map that are text or small. Its file begins with them.
Json topic_header(const TopicMap& map) {
  std::vector<std::string_view> terms;
  for (std::uint32_t column = 0; column < map.words.size(); ++column)
    terms.push_back((*map.terms)[column]);

  const TopicAgreement& a = map.agreement;
  Json origin;
  visit_origin(map.origin, [&](const char* name, const auto& value) { origin[name] = value; });

  return {{"origin", std::move(origin)},
          {"quantization_error", map.quantization_error},
          {"topographic_error", map.topographic_error},
          {"agreement",
           {a.documents, a.unit_purity, a.unit_mutual_information, a.topic_purity,
            a.topic_mutual_information}},
          {"topics", map.topics},
          {"units", map.units},
          {"terms", terms},
          {"words", map.words},
          {"spread", map.spread}};
}

constexpr std::string_view kMagic = "kindred-som 2\n";
constexpr std::size_t kMaxBytes = std::size_t{16} << 30;  ///< a million units in full
constexpr const char* kRemedy = "; make it again with 'kindred topics train'";
static_assert(std::endian::native == std::endian::little, "the file holds numbers as they are");

template <typename T>
void append(const std::vector<T>& values, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Takes an array of `size` values from the front.
template <typename T>
std::vector<T> read_array(std::string_view& bytes, std::size_t size) {
  if (bytes.size() / sizeof(T) < size) throw Error(Errc::kCorrupt, "it ends too early");
  std::vector<T> values(size);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size * sizeof(T));
  bytes.remove_prefix(size * sizeof(T));
  return values;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
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

void check_parts(const TopicMap& map) {
  // Whoever reads the map later trusts these numbers as indices, so all of them are checked here.
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
  // The checksum first: after it, what does not fit is a fault of the program that wrote the file.
  if (!bytes.starts_with(kMagic)) throw Error(Errc::kCorrupt, "it is not a map of this version");
  if (bytes.size() < kMagic.size() + sizeof(std::uint32_t))
    throw Error(Errc::kCorrupt, "it ends too early");

  std::string_view end = bytes.substr(bytes.size() - sizeof(std::uint32_t));
  bytes.remove_suffix(sizeof(std::uint32_t));
  if (read_array<std::uint32_t>(end, 1)[0] != checksum(bytes))
    throw Error(Errc::kCorrupt, "its checksum is wrong");

  bytes.remove_prefix(kMagic.size());
  const std::size_t line = std::min(bytes.find('\n'), bytes.size() - 1);
  const Json header = Json::parse(bytes.substr(0, line));
  bytes.remove_prefix(line + 1);

  // The header says how long the arrays are that follow it.
  const std::size_t columns = header.at("terms").size();
  const std::size_t units = header.at("units").size();
  auto map = std::make_shared<TopicMap>();

  visit_origin(map->origin, [&](const char* name, auto& value) {
    read_value(header.at("origin").at(name), value);
  });

  header.at("quantization_error").get_to(map->quantization_error);
  header.at("topographic_error").get_to(map->topographic_error);
  const Json& a = header.at("agreement");
  map->agreement = {whole_number<std::uint64_t>(a.at(0)), a.at(1), a.at(2), a.at(3), a.at(4)};

  // Topics are numbered by their order, from 1.
  header.at("topics").get_to(map->topics);
  for (std::uint32_t i = 0; i < map->topics.size(); ++i) {
    map->topics[i].number = i + 1;
  }
  header.at("units").get_to(map->units);
  map->terms = terms_from(header.at("terms"));
  header.at("words").get_to(map->words);
  header.at("spread").get_to(map->spread);
  map->stamp = std::move(stamp);

  // The arrays stand in the order of encode_parts().
  map->idf = read_array<double>(bytes, columns);
  auto begin = read_array<std::uint64_t>(bytes, columns + 1);
  const auto weights = whole_number<std::size_t>(header.at("weights"));
  auto unit = read_array<std::uint32_t>(bytes, weights);
  map->codebook =
      std::make_shared<const SparseCodebook>(static_cast<std::uint32_t>(units), std::move(begin),
                                             std::move(unit), read_array<float>(bytes, weights));

  check_parts(*map);
  return map;
}

}  // namespace

void save_topic_map(const TopicMap& map, const std::string& path) {
  std::string bytes = encode_parts(map);
  append(std::vector<std::uint32_t>{checksum(bytes)}, bytes);
  const std::error_code fault = replace_index_file(path, bytes);
  if (fault) throw Error(Errc::kDatabase, path + ": the map cannot be written: " + fault.message());
}

std::uint32_t topic_map_checksum(const TopicMap& map) { return checksum(encode_parts(map)); }

std::shared_ptr<const TopicMap> load_topic_map(const std::string& path) {
  const GuardedFile found = index_file(path);
  if (!found.exists())
    throw Error(Errc::kNotFound, path + ": there is no map; make one with 'kindred topics train'");
  const FileContent file = read_regular_file(found, "the map", kMaxBytes);

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
