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

Json topics_json(const Json& result) {
  Json topics = Json::array();
  for (const Json& topic : result["topics"]) {
    Json terms = Json::array();
    for (const Json& term : topic["terms"]) {
      if (terms.size() == kMostTopicTerms) break;
      terms.push_back({{"word", term["word"]}, {"score", term["score"]}});
    }
    topics.push_back({{"number", topic["number"]},
                      {"name", topic["name"]},
                      {"documents", topic["documents"]},
                      {"terms", std::move(terms)}});
  }
  return topics;
}

Response answer_topics(App& app, const Request& request) {
  ParameterReader(request).done();
  const auto plugin = app.plugin();
  const TimeSpent spent(request.timings.plugin);
  const Json result = plugin->ask("topics");
  return answer({{"topics", topics_json(result)},
                 {"revision", result["map"]["map_revision"]},
                 {"stale", result["map"]["documents"] != plugin->status()["documents"]}});
}

Json units_json(const Json& map) {
  Json units = Json::array();
  for (const Json& unit : map["units"]) {
    units.push_back({{"unit", units.size()},
                     {"x", unit["x"]},
                     {"y", unit["y"]},
                     {"topic", unit["topic"]},
                     {"documents", unit["documents"]}});
  }
  return units;
}

Json places_json(const Json& map) {
  Json places = Json::array();
  for (const Json& place : map["places"]) {
    if (place["topic"] == 0) continue;
    places.push_back({{"id", read_name(place["id"])}, {"unit", place["unit"]}});
  }
  return places;
}

/// The places of all documents, which are computed anew only for another map or another revision of
/// the index. Any thread may ask.
class KeptPlaces {
 public:
  /// `map`: the answer without places, as it is now.
  std::shared_ptr<const Json> get(const Handle& plugin, const Json& map) {
    const std::lock_guard lock(mutex_);
    const bool is_told = map.contains("revision");  // or the database has several shards
    if (!places_ || !is_told || key_ != key_of(map)) {
      const Json placed = plugin.ask("map", {{"places", true}});
      places_ = std::make_shared<const Json>(places_json(placed));
      key_ = key_of(placed);
    }
    return places_;
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  static Key key_of(const Json& map) {
    return {map["stamp"].get<std::string>(), map.value("revision", std::uint64_t{0})};
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
  const Json map = plugin->ask("map"), topics = plugin->ask("topics");
  Json json = {{"rows", map["rows"]},
               {"columns", map["columns"]},
               {"lattice", map["lattice"]},
               {"toroidal", map["toroidal"]},
               {"units", units_json(map)},
               {"topics", topics_json(topics)},
               {"revision", map["map"]["map_revision"]},
               {"stale", map["map"]["documents"] != plugin->status()["documents"]}};
  if (with_places) json["places"] = *kept.get(*plugin, map);
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
