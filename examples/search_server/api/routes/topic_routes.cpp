#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "api/answers/document_json.h"
#include "api/guarded.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"

namespace search_server {
namespace {

constexpr std::size_t kMostTopicTerms = 10;

Json topics_json(const kindred_topics_result& result) {
  Json topics = Json::array();
  for (std::size_t i = 0; i < result.topic_count; ++i) {
    const kindred_topic& topic = result.topics[i];
    Json terms = Json::array();
    for (std::size_t j = 0; j < std::min(topic.term_count, kMostTopicTerms); ++j) {
      terms.push_back({{"word", view(topic.terms[j].word)}, {"score", topic.terms[j].score}});
    }
    topics.push_back({{"number", topic.number},
                      {"name", view(topic.name)},
                      {"documents", topic.documents},
                      {"terms", std::move(terms)}});
  }
  return topics;
}

Response answer_topics(App& app, const Request& request) {
  ParameterReader(request).done();
  const auto plugin = app.plugin();
  const TimeSpent spent(request.timings.plugin);
  const auto result = plugin->ask(&kindred_descriptor::topics, &kindred_descriptor::topics_free);
  return answer({{"topics", topics_json(*result)},
                 {"revision", result->revision},
                 {"stale", result->documents != plugin->status().documents}});
}

Json units_json(const kindred_map_result& map) {
  Json units = Json::array();
  for (std::size_t i = 0; i < map.unit_count; ++i) {
    const kindred_map_unit& unit = map.units[i];
    units.push_back({{"unit", i},
                     {"x", unit.x},
                     {"y", unit.y},
                     {"topic", unit.topic},
                     {"documents", unit.documents}});
  }
  return units;
}

Json places_json(const kindred_map_result& map) {
  Json places = Json::array();
  for (std::size_t i = 0; i < map.place_count; ++i) {
    if (map.places[i].topic == 0) continue;
    places.push_back({{"id", view(map.place_ids[i])}, {"unit", map.places[i].unit}});
  }
  return places;
}

Result<kindred_map_result> ask_map(const Handle& plugin, std::uint64_t flags) {
  kindred_map_request question = KINDRED_MAP_REQUEST_INIT;
  question.flags = flags;
  return plugin.ask(&kindred_descriptor::map, &kindred_descriptor::map_free,
                    &std::as_const(question));
}

/// The places of all documents, which are computed anew only for another map or another revision of
/// the index. Any thread may ask.
class KeptPlaces {
 public:
  /// `map`: as it is now, without places.
  std::shared_ptr<const Json> get(const Handle& plugin, const kindred_map_result& map) {
    const std::lock_guard lock(mutex_);
    const bool is_told = map.index_revision != 0;  // or the database has several shards
    if (!places_ || !is_told || key_ != key_of(map)) {
      const auto placed = ask_map(plugin, KINDRED_PLACES | KINDRED_IDS);
      places_ = std::make_shared<const Json>(places_json(*placed));
      key_ = key_of(*placed);
    }
    return places_;
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  static Key key_of(const kindred_map_result& map) {
    return {std::string(view(map.stamp)), map.index_revision};
  }

  std::mutex mutex_;
  Key key_;
  std::shared_ptr<const Json> places_;
};

Response answer_map(App& app, const Request& request, KeptPlaces& kept) {
  ParameterReader parameters(request);
  const bool with_places = parameters.flag("places", false);
  parameters.done();
  const auto plugin = app.plugin();
  const TimeSpent spent(request.timings.plugin);
  const auto map = ask_map(*plugin, 0);
  const auto topics = plugin->ask(&kindred_descriptor::topics, &kindred_descriptor::topics_free);
  Json json = {{"rows", map->rows},
               {"columns", map->columns},
               {"lattice", map->hexagonal != 0 ? "hexagonal" : "rectangular"},
               {"toroidal", map->toroidal != 0},
               {"units", units_json(*map)},
               {"topics", topics_json(*topics)},
               {"revision", map->revision},
               {"stale", topics->documents != plugin->status().documents}};
  if (with_places) json["places"] = *kept.get(*plugin, *map);
  return answer(json);
}

}  // namespace

void add_topic_routes(Router& router, App& app) {
  router.add("GET", "/topics",
             guarded([&app](const Request& request) { return answer_topics(app, request); }));
  router.add("GET", "/map",
             guarded([&app, kept = std::make_shared<KeptPlaces>()](const Request& request) {
               return answer_map(app, request, *kept);
             }));
}

}  // namespace search_server
