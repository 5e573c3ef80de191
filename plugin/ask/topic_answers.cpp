// The questions about the map of topics.
#include <utility>

#include "config/shown.h"
#include "plugin/ask/asking.h"
#include "plugin/topics/map.h"
#include "plugin/writing/stored_answers.h"

namespace kindred {
namespace {

Json map_json(const TopicMap& map) {
  Json json = {{"units", map.units.size()},
               {"documents", map.origin.documents},
               {"epochs", map.origin.epochs},
               {"quantization_error", map.quantization_error},
               {"topographic_error", map.topographic_error},
               {"map_revision", map.origin.revision},
               {"training_seconds", map.origin.seconds}};
  if (map.agreement.documents > 0)
    json["agreement"] = {{"documents", map.agreement.documents},
                         {"unit_purity", map.agreement.unit_purity},
                         {"unit_nmi", map.agreement.unit_mutual_information},
                         {"topic_purity", map.agreement.topic_purity},
                         {"topic_nmi", map.agreement.topic_mutual_information}};
  return json;
}

Json topic_json(Asking& asking, const Topic& topic) {
  Json terms = Json::array(), typical = Json::array();
  for (const TopicTerm& term : topic.terms)
    terms.push_back(
        {{"term", written_name(term.term)}, {"word", term.word}, {"score", term.score}});
  for (const TopicDocument& document : asking.reading().describe(topic.typical, asking.pulse))
    typical.push_back({{"docid", document.docid},
                       {"id", written_name(document.id)},
                       {"title", document.title},
                       {"similarity", document.similarity}});
  return {{"number", topic.number},       {"name", topic.name},
          {"documents", topic.documents}, {"neighbors", topic.neighbors},
          {"terms", std::move(terms)},    {"typical", std::move(typical)}};
}

Json place_json(const TopicMap& map, const TopicPlacement& place) {
  const bool is_placed = place.topic > 0;
  const auto if_placed = [&](const auto& value) { return is_placed ? Json(value) : Json(); };
  return {{"unit", if_placed(place.unit)},
          {"row", if_placed(place.unit / map.origin.columns)},
          {"column", if_placed(place.unit % map.origin.columns)},
          {"topic", if_placed(place.topic)},
          {"name", is_placed ? Json(map.topics[place.topic - 1].name) : Json()},
          {"distance", if_placed(place.distance)},
          {"novelty", place.novelty},
          {"map_revision", place.revision}};
}

}  // namespace

Json answer_topics(Asking& asking) {
  const auto map = asking.reading().topic_map();
  return {{"map", map_json(*map)}, {"topics", list_of(map->topics, [&](const Topic& topic) {
                                      return topic_json(asking, topic);
                                    })}};
}

Json answer_topic_of(Asking& asking) {
  const auto map = asking.reading().topic_map();
  return {{"places", list_of(asking.examples("examples"), [&](const Example& example) {
             asking.pulse();
             return place_json(*map, asking.reading().topic_of(example, *map));
           })}};
}

Json answer_map(Asking& asking) {
  const bool with_places = asking.flag("places");
  PlacedDocuments placed;
  if (with_places) {
    MatchingRequest matching;
    matching.query = asking.text("query");
    matching.pulse = asking.pulse;
    placed =
        asking.reading().placed_documents(asking.reading().matching(matching).docids, asking.pulse);
  } else {
    placed.map = asking.reading().topic_map();
  }
  const TopicMap& map = *placed.map;
  Json units = Json::array(), places = Json::array();
  for (const TopicUnit& unit : map.units)
    units.push_back({{"x", unit.x},
                     {"y", unit.y},
                     {"topic", unit.topic},
                     {"documents", unit.documents},
                     {"height", shortest(unit.height)},
                     {"label", written_name(unit.label)}});
  for (const PlacedDocument& document : placed.documents) {
    asking.pulse();
    places.push_back({{"id", written_name(document.id)},
                      {"docid", document.docid},
                      {"unit", document.place.unit},
                      {"topic", document.place.topic}});
  }
  Json json = {{"map", map_json(map)},
               {"stamp", map.stamp},
               {"rows", map.origin.rows},
               {"columns", map.origin.columns},
               {"lattice", map.origin.hexagonal ? "hexagonal" : "rectangular"},
               {"toroidal", map.origin.toroidal},
               {"units", std::move(units)}};
  if (with_places) json["places"] = std::move(places);
  return json;
}

Json answer_train_topics(Asking& asking) {
  TopicsRequest request;
  asking.read("rows", request.rows);
  asking.read("columns", request.columns);
  asking.read("epochs", request.epochs);
  asking.read("seed", request.seed);
  asking.read("topics", request.count);
  asking.read("lattice", request.lattice);
  asking.read("toroidal", request.toroidal);
  asking.read("start", request.start);
  asking.read("sigma_start", request.sigma_start);
  asking.read("sigma_end", request.sigma_end);
  asking.read("linear", request.linear);
  asking.read("cut", request.cut);
  asking.read("resume", request.resume);
  const auto on_epoch = [&](const TopicsEpoch& epoch) {
    const std::string doing = "epoch " + std::to_string(epoch.epoch) + " of " +
                              std::to_string(epoch.epochs) + ": sigma " + fixed(epoch.sigma, 2) +
                              ", quantization error " + fixed(epoch.quantization_error, 4) + ", " +
                              std::to_string(epoch.moved) + " documents moved";
    return !asking.index.on_step || asking.index.on_step({doing, epoch.epoch, epoch.epochs});
  };
  const auto map = asking.reading().train_topics(request, on_epoch, asking.index.others);
  if (map == nullptr) return Json::object();  // another process has it
  return {{"map", map_json(*map)}, {"topics", map->topics.size()}};
}

Json answer_assign_topics(Asking& asking) {
  AssignRequest request;
  asking.read("restart", request.restart);
  request.on_progress = asking.running();
  const AssignReport report = assign_topics(asking.engine(), request);
  asking.origin = report;
  Json answer = {{"map_revision", report.map_revision}};
  add_run(report, answer);
  return answer;
}

}  // namespace kindred
