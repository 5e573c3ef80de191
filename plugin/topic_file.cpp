// The file of a map: the line "kindred-som 1", a line of JSON with all that is text or small, the
// arrays it announces, and the CRC-32 of everything before it. Numbers are little-endian.
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/error.h"
#include "plugin/sparse_codebook.h"
#include "plugin/string_table.h"
#include "plugin/topic_map.h"

namespace kindred {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "kindred-som 1\n";
static_assert(std::endian::native == std::endian::little, "the file holds numbers as they are");

Json to_json(const std::vector<TopicDocument>& documents) {
  Json list = Json::array();
  for (const TopicDocument& d : documents) list.push_back({d.docid, d.id, d.title, d.similarity});
  return list;
}

std::vector<TopicDocument> documents_from(const Json& list) {
  std::vector<TopicDocument> documents;
  for (const Json& d : list) {
    documents.push_back({d.at(0).get<Xapian::docid>(), d.at(1).get<std::string>(),
                         d.at(2).get<std::string>(), d.at(3).get<double>()});
  }
  return documents;
}

Json to_json(const TopicMapOrigin& o) {
  return {{"uuid", o.uuid},           {"revision", o.revision},
          {"documents", o.documents}, {"prefixes", o.prefixes},
          {"weighting", o.weighting}, {"rows", o.rows},
          {"columns", o.columns},     {"hexagonal", o.hexagonal},
          {"toroidal", o.toroidal},   {"seed", o.seed},
          {"epochs", o.epochs},       {"sigma_start", o.sigma_start},
          {"sigma_end", o.sigma_end}, {"cut", o.cut},
          {"seconds", o.seconds}};
}

TopicMapOrigin origin_from(const Json& json) {
  TopicMapOrigin o;
  json.at("uuid").get_to(o.uuid);
  json.at("revision").get_to(o.revision);
  json.at("documents").get_to(o.documents);
  json.at("prefixes").get_to(o.prefixes);
  json.at("weighting").get_to(o.weighting);
  json.at("rows").get_to(o.rows);
  json.at("columns").get_to(o.columns);
  json.at("hexagonal").get_to(o.hexagonal);
  json.at("toroidal").get_to(o.toroidal);
  json.at("seed").get_to(o.seed);
  json.at("epochs").get_to(o.epochs);
  json.at("sigma_start").get_to(o.sigma_start);
  json.at("sigma_end").get_to(o.sigma_end);
  json.at("cut").get_to(o.cut);
  json.at("seconds").get_to(o.seconds);
  return o;
}

Json to_json(const Topic& topic) {
  Json terms = Json::array();
  for (const TopicTerm& term : topic.terms) terms.push_back({term.term, term.word, term.score});
  return {{"name", topic.name},
          {"documents", topic.documents},
          {"terms", terms},
          {"typical", to_json(topic.typical)},
          {"neighbors", topic.neighbors}};
}

Topic topic_from(const Json& json, std::uint32_t number) {
  Topic topic;
  topic.number = number;
  json.at("name").get_to(topic.name);
  json.at("documents").get_to(topic.documents);
  for (const Json& term : json.at("terms")) {
    topic.terms.push_back(
        {term.at(0).get<std::string>(), term.at(1).get<std::string>(), term.at(2).get<double>()});
  }
  topic.typical = documents_from(json.at("typical"));
  json.at("neighbors").get_to(topic.neighbors);
  return topic;
}

Json to_json(const TopicUnit& unit) {
  return {unit.x,      unit.y,     unit.topic,   unit.documents,
          unit.height, unit.label, unit.columns, to_json(unit.typical)};
}

TopicUnit unit_from(const Json& json) {
  TopicUnit unit;
  json.at(0).get_to(unit.x);
  json.at(1).get_to(unit.y);
  json.at(2).get_to(unit.topic);
  json.at(3).get_to(unit.documents);
  json.at(4).get_to(unit.height);
  json.at(5).get_to(unit.label);
  json.at(6).get_to(unit.columns);
  unit.typical = documents_from(json.at(7));
  return unit;
}

template <typename Part>
Json list_of(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(to_json(part));
  return list;
}

Json header_of(const TopicMap& map) {
  std::vector<std::string_view> terms;
  for (std::uint32_t column = 0; column < map.words.size(); ++column)
    terms.push_back((*map.terms)[column]);
  const TopicAgreement& a = map.agreement;
  return {{"origin", to_json(map.origin)},
          {"quantization_error", map.quantization_error},
          {"topographic_error", map.topographic_error},
          {"agreement",
           {a.documents, a.unit_purity, a.unit_mutual_information, a.topic_purity,
            a.topic_mutual_information}},
          {"topics", list_of(map.topics)},
          {"units", list_of(map.units)},
          {"terms", terms},
          {"words", map.words},
          {"spread", map.spread},
          {"weights", map.codebook->weight().size()}};
}

template <typename T>
void append(const std::vector<T>& values, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Takes an array of `size` values off the front.
template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() / sizeof(T) < size) throw Error(Errc::kCorrupt, "it ends too early");
  std::vector<T> values(size);
  std::memcpy(values.data(), bytes.data(), size * sizeof(T));
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

std::string encode(const TopicMap& map) {
  std::string bytes(kMagic);
  // A term may be any bytes; what is not UTF-8 becomes U+FFFD, and so is found no more.
  bytes += header_of(map).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  append(map.idf, bytes);
  append(map.codebook->column_begin(), bytes);
  append(map.codebook->unit(), bytes);
  append(map.codebook->weight(), bytes);
  append(std::vector<std::uint32_t>{checksum(bytes)}, bytes);
  return bytes;
}

void check_parts(const TopicMap& map) {
  const std::size_t units = std::size_t{map.origin.rows} * map.origin.columns;
  bool fits = units > 0 && map.units.size() == units && map.words.size() == map.terms->size() &&
              map.spread.size() > 1;
  for (const TopicUnit& unit : map.units) {
    fits = fits && unit.topic >= 1 && unit.topic <= map.topics.size();
    for (const std::uint32_t column : unit.columns) fits = fits && column < map.words.size();
  }
  if (!fits) throw Error(Errc::kCorrupt, "its parts do not fit together");
}

std::shared_ptr<const TopicMap> decode(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) throw Error(Errc::kCorrupt, "it is no map of this version");
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
  auto map = std::make_shared<TopicMap>();
  map->origin = origin_from(header.at("origin"));
  header.at("quantization_error").get_to(map->quantization_error);
  header.at("topographic_error").get_to(map->topographic_error);
  const Json& a = header.at("agreement");
  map->agreement = {a.at(0), a.at(1), a.at(2), a.at(3), a.at(4)};
  std::uint32_t number = 0;
  for (const Json& topic : header.at("topics")) map->topics.push_back(topic_from(topic, ++number));
  for (const Json& unit : header.at("units")) map->units.push_back(unit_from(unit));
  auto terms = std::make_shared<StringTable>();
  for (const Json& term : header.at("terms")) terms->push_back(term.get<std::string>());
  terms->index();
  map->terms = std::move(terms);
  header.at("words").get_to(map->words);
  header.at("spread").get_to(map->spread);
  map->idf = take<double>(bytes, map->terms->size());
  auto begin = take<std::uint64_t>(bytes, map->terms->size() + std::size_t{1});
  const auto weights = header.at("weights").get<std::size_t>();
  auto unit = take<std::uint32_t>(bytes, weights);
  map->codebook = std::make_shared<const SparseCodebook>(map->origin.rows * map->origin.columns,
                                                         std::move(begin), std::move(unit),
                                                         take<float>(bytes, weights));
  check_parts(*map);
  return map;
}

[[noreturn]] void fail_writing(const std::string& path, int fault) {
  throw Error(Errc::kDatabase, path + ": the map cannot be written: " + std::strerror(fault));
}

/// Writes and flushes to the disk; errno of what failed, else 0.
int write_file(const std::string& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int fault = 0;
  while (fault == 0 && !bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fault = errno;
    }
  }
  if (fault == 0 && fsync(file) != 0) fault = errno;
  if (close(file) != 0 && fault == 0) fault = errno;
  return fault;
}

}  // namespace

std::string topic_map_path(const std::string& database) {
  std::error_code ignored;
  const bool directory = std::filesystem::is_directory(database, ignored);
  return directory ? (std::filesystem::path(database) / "kindred.som").string()
                   : database + ".kindred-som";
}

void save_topic_map(const TopicMap& map, const std::string& path) {
  const std::string aside = path + ".new-" + std::to_string(getpid());
  int fault = write_file(aside, encode(map));
  if (fault == 0 && std::rename(aside.c_str(), path.c_str()) != 0) fault = errno;
  if (fault == 0) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  fail_writing(path, fault);
}

std::shared_ptr<const TopicMap> load_topic_map(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(Errc::kNotFound, path + ": there is no map; make one with 'kindred topics train'");
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  try {
    return decode(bytes);
  } catch (const nlohmann::json::exception&) {
    throw Error(Errc::kCorrupt, path + ": the map is damaged: its header cannot be read");
  } catch (const Error& e) {
    throw Error(e.code(), path + ": the map is damaged: " + e.what());
  }
}

void check_topic_map(const TopicMap& map, const std::string& path, const std::string& uuid) {
  if (map.origin.uuid == uuid) return;
  throw Error(Errc::kInvalidArgument, path + ": the map was made of database " + map.origin.uuid +
                                          ", but this one is " + uuid + "; train it anew");
}

}  // namespace kindred
