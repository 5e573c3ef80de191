#include "plugin/topics/header.h"

#include <string_view>
#include <utility>

#include "plugin/store/string_table.h"
#include "plugin/store/whole_number.h"

namespace kindred {
namespace {

using Json = nlohmann::ordered_json;

template <typename Integer>
void take_whole(const Json& json, Integer& number) {
  number = whole_number<Integer>(json);
}

Json to_json(const std::vector<TopicDocument>& documents) {
  Json list = Json::array();
  for (const TopicDocument& d : documents) list.push_back({d.docid, d.id, d.title, d.similarity});
  return list;
}

std::vector<TopicDocument> documents_from(const Json& list) {
  std::vector<TopicDocument> documents;
  for (const Json& d : list) {
    documents.push_back({whole_number<Xapian::docid>(d.at(0)), d.at(1).get<std::string>(),
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
  take_whole(json.at("revision"), o.revision);
  take_whole(json.at("documents"), o.documents);
  json.at("prefixes").get_to(o.prefixes);
  json.at("weighting").get_to(o.weighting);
  take_whole(json.at("rows"), o.rows);
  take_whole(json.at("columns"), o.columns);
  json.at("hexagonal").get_to(o.hexagonal);
  json.at("toroidal").get_to(o.toroidal);
  take_whole(json.at("seed"), o.seed);
  take_whole(json.at("epochs"), o.epochs);
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
  take_whole(json.at("documents"), topic.documents);
  for (const Json& term : json.at("terms")) {
    topic.terms.push_back(
        {term.at(0).get<std::string>(), term.at(1).get<std::string>(), term.at(2).get<double>()});
  }
  topic.typical = documents_from(json.at("typical"));
  for (const Json& neighbor : json.at("neighbors"))
    topic.neighbors.push_back(whole_number<std::uint32_t>(neighbor));
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
  take_whole(json.at(2), unit.topic);
  take_whole(json.at(3), unit.documents);
  json.at(4).get_to(unit.height);
  json.at(5).get_to(unit.label);
  for (const Json& column : json.at(6)) unit.columns.push_back(whole_number<std::uint32_t>(column));
  unit.typical = documents_from(json.at(7));
  return unit;
}

TopicAgreement agreement_from(const Json& a) {
  return {whole_number<std::uint64_t>(a.at(0)), a.at(1), a.at(2), a.at(3), a.at(4)};
}

std::vector<Topic> topics_from(const Json& list) {
  std::vector<Topic> topics;
  std::uint32_t number = 0;
  for (const Json& topic : list) topics.push_back(topic_from(topic, ++number));
  return topics;
}

std::vector<TopicUnit> units_from(const Json& list) {
  std::vector<TopicUnit> units;
  for (const Json& unit : list) units.push_back(unit_from(unit));
  return units;
}

std::shared_ptr<const StringTable> terms_from(const Json& list) {
  auto terms = std::make_shared<StringTable>();
  for (const Json& term : list) terms->push_back(term.get<std::string>());
  terms->index();
  return terms;
}

template <typename Part>
Json list_of(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(to_json(part));
  return list;
}

}  // namespace

Json topic_header(const TopicMap& map) {
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
          {"spread", map.spread}};
}

TopicMap topic_map_of(const Json& header, TopicMapArrays arrays, std::string stamp) {
  return {.origin = origin_from(header.at("origin")),
          .quantization_error = header.at("quantization_error").get<double>(),
          .topographic_error = header.at("topographic_error").get<double>(),
          .agreement = agreement_from(header.at("agreement")),
          .topics = topics_from(header.at("topics")),
          .units = units_from(header.at("units")),
          .terms = terms_from(header.at("terms")),
          .codebook = std::move(arrays.codebook),
          .words = header.at("words").get<std::vector<std::string>>(),
          .idf = std::move(arrays.idf),
          .spread = header.at("spread").get<std::vector<float>>(),
          .stamp = std::move(stamp)};
}

}  // namespace kindred
