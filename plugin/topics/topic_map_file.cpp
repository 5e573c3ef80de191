// The map of a database as a file: a section file with all that is text or small, in CBOR, and the
// arrays.
#include "plugin/topics/topic_map_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/smart_weighting.h"
#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/section_file.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {
namespace {

using Cbor = nlohmann::json;

constexpr double kMostIdf = 1e6;  // no weighting has as much; far more has no length

template <typename T>
void read_value(const Cbor& cbor, T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_number<T>(cbor);
  } else {
    cbor.get_to(value);
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

std::vector<std::uint32_t> numbers_from(const Cbor& list) {
  std::vector<std::uint32_t> numbers;
  for (const Cbor& number : list) numbers.push_back(whole_number<std::uint32_t>(number));
  return numbers;
}

}  // namespace

// The library of CBOR calls these for the parts of a map, and for lists of them.

static void to_json(Cbor& cbor, const TopicDocument& d) { cbor = {d.docid, d.similarity}; }

static void from_json(const Cbor& cbor, TopicDocument& d) {
  d = {whole_number<Xapian::docid>(cbor.at(0)), cbor.at(1)};
}

namespace api {

static void to_json(Cbor& cbor, const TopicTerm& t) { cbor = {t.term, t.word, t.score}; }

static void from_json(const Cbor& cbor, TopicTerm& t) { t = {cbor.at(0), cbor.at(1), cbor.at(2)}; }

}  // namespace api

static void to_json(Cbor& cbor, const Topic& topic) {
  cbor = {{"name", topic.name},
          {"documents", topic.documents},
          {"terms", topic.terms},
          {"typical", topic.typical},
          {"neighbors", topic.neighbors}};
}

static void from_json(const Cbor& cbor, Topic& topic) {
  topic = {0,
           cbor.at("name"),
           whole_number<std::uint64_t>(cbor.at("documents")),
           cbor.at("terms"),
           cbor.at("typical"),
           numbers_from(cbor.at("neighbors"))};
}

static void to_json(Cbor& cbor, const TopicUnit& unit) {
  cbor = {unit.x,      unit.y,     unit.topic,   unit.documents,
          unit.height, unit.label, unit.columns, unit.typical};
}

static void from_json(const Cbor& cbor, TopicUnit& unit) {
  unit = {cbor.at(0),
          cbor.at(1),
          whole_number<std::uint32_t>(cbor.at(2)),
          whole_number<std::uint32_t>(cbor.at(3)),
          cbor.at(4),
          cbor.at(5),
          numbers_from(cbor.at(6)),
          cbor.at(7)};
}

namespace {

std::shared_ptr<const StringTable> terms_from(const Cbor& list) {
  auto terms = std::make_shared<StringTable>();
  for (const Cbor& term : list) terms->push_back(term.get<std::string>());
  terms->index();
  return terms;
}

/// The parts of a map that are text or small.
Cbor facts_of(const TopicMap& map) {
  std::vector<std::string_view> terms;
  for (std::uint32_t column = 0; column < map.words.size(); ++column)
    terms.push_back((*map.terms)[column]);

  const TopicAgreement& a = map.agreement;
  Cbor origin;
  visit_origin(map.origin, [&](const char* name, const auto& value) {
    origin[name] = value;
  });

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

constexpr std::string_view kMagic = "kindred-som    3";
constexpr const char* kRemedy = "; make it again with 'kindred topics train'";

enum MapSection : std::uint32_t { kFacts = 1, kIdf, kColumnBegin, kUnit, kWeight };

/// Calls use(writer) with a writer of all parts of a map, which ends with the call.
template <typename Use>
auto with_writer(const TopicMap& map, Use&& use) {
  const std::vector<std::uint8_t> facts = Cbor::to_cbor(facts_of(map));
  SectionWriter writer(kMagic);
  writer.add(kFacts, facts);
  writer.add(kIdf, map.idf);
  writer.add(kColumnBegin, map.codebook->column_begin());
  writer.add(kUnit, map.codebook->unit());
  writer.add(kWeight, map.codebook->weight());
  return use(writer);
}

void check_parts(const TopicMap& map) {
  // Whoever reads the map later trusts these numbers as indices, so all of them are checked here.
  const std::size_t columns = map.words.size();
  bool fits = !map.units.empty() && map.terms->size() == columns && map.spread.size() > 1;
  fits = fits && map.idf.size() == columns && map.codebook->columns() == columns;
  fits = fits && std::size_t{map.origin.rows} * map.origin.columns == map.units.size();

  for (const TopicUnit& unit : map.units) {
    fits = fits && unit.topic >= 1 && unit.topic <= map.topics.size();
    for (const std::uint32_t column : unit.columns) fits = fits && column < columns;
  }

  for (const Topic& topic : map.topics)
    for (const std::uint32_t other : topic.neighbors)
      fits = fits && other >= 1 && other <= map.topics.size();

  for (const double idf : map.idf) fits = fits && idf >= 0 && idf <= kMostIdf;
  fits = fits && std::is_sorted(map.spread.begin(), map.spread.end());

  if (!fits) throw Error(Errc::kCorrupt, "its parts do not fit together");
  SmartWeighting{map.origin.weighting};  // throws if the letters are unknown
}

void read_facts(const Cbor& facts, TopicMap& map) {
  visit_origin(map.origin, [&](const char* name, auto& value) {
    read_value(facts.at("origin").at(name), value);
  });

  facts.at("quantization_error").get_to(map.quantization_error);
  facts.at("topographic_error").get_to(map.topographic_error);
  const Cbor& a = facts.at("agreement");
  map.agreement = {whole_number<std::uint64_t>(a.at(0)), a.at(1), a.at(2), a.at(3), a.at(4)};

  // Topics are numbered by their order, from 1.
  facts.at("topics").get_to(map.topics);
  for (std::uint32_t i = 0; i < map.topics.size(); ++i) {
    map.topics[i].number = i + 1;
  }
  facts.at("units").get_to(map.units);
  map.terms = terms_from(facts.at("terms"));
  facts.at("words").get_to(map.words);
  facts.at("spread").get_to(map.spread);
}

/// @throws Error kCorrupt if the parts are not those of a map, or do not fit together.
std::shared_ptr<const TopicMap> read_parts(const SectionReader& reader) {
  auto map = std::make_shared<TopicMap>();
  map->stamp = reader.stamp();
  const std::string facts = reader.read_text(kFacts);
  map->idf = reader.read<double>(kIdf);
  auto begin = reader.read<std::uint64_t>(kColumnBegin);
  auto unit = reader.read<std::uint32_t>(kUnit);
  auto weight = reader.read<float>(kWeight);

  try {
    read_facts(parse_cbor(facts), *map);
    map->codebook = std::make_shared<const SparseCodebook>(
        static_cast<std::uint32_t>(map->units.size()), std::move(begin), std::move(unit),
        std::move(weight));
    check_parts(*map);
    return map;
  } catch (const std::exception& e) {
    reader.refuse(e.what());
  }
}

}  // namespace

void save_topic_map(const TopicMap& map, const std::string& path) {
  with_writer(map, [&](const SectionWriter& writer) {
    writer.write(index_file(path), 1);
  });
}

std::string topic_map_name(const TopicMap& map) {
  return with_writer(map, [](const SectionWriter& writer) {
    return writer.name(1);
  });
}

std::shared_ptr<const TopicMap> load_topic_map(const std::string& path) {
  const GuardedFile file = index_file(path);
  if (!file.exists())
    throw Error(Errc::kNotFound, path + ": there is no map; make one with 'kindred topics train'");

  try {
    return read_parts(SectionReader(file, "the map", kMagic, 1));
  } catch (const Error& e) {
    if (e.code() != Errc::kCorrupt && e.code() != Errc::kUnsupported) throw;
    throw Error(e.code(), e.what() + std::string(kRemedy));
  }
}

void check_topic_map(const TopicMap& map, const std::string& path, const KeptFiles& kept) {
  if (kept.has_uuid(map.origin.uuid)) return;
  throw Error(Errc::kInvalidArgument, path + ": the map was made of database " + map.origin.uuid +
                                          ", but this one is " + kept.uuids.back() +
                                          "; train it again");
}

}  // namespace kindred
