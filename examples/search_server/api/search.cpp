// Search, and where on the map its results lie.

#include <utility>

#include "api/routes.h"

namespace search_server {
namespace {

Json facets_json(const State& state, const Counts& counts, std::size_t most) {
  const auto list = [&](std::size_t kind) {
    Json facets = Json::array();
    for (const Facet& facet : state.facets->most_frequent(counts, kind, most))
      facets.push_back({{"value", facet.value}, {"count", facet.documents}});
    return facets;
  };
  Json json = {{"label", Json::array()},
               {"topic", list(kTopics)},
               {"language", list(kLanguages)},
               {"values", Json::object()}};
  for (const Facet& facet : state.facets->most_frequent(counts, kLabels, most))
    json["label"].push_back(
        {{"value", facet.value}, {"documents", facet.documents}, {"predicted", facet.predicted}});
  for (Json& topic : json["topic"]) {
    const auto number = std::stoul(topic["value"].get<std::string>());
    topic = {{"value", number},
             {"name", state.schema.topic(static_cast<std::uint32_t>(number))["name"]},
             {"count", topic["count"]}};
  }
  for (std::size_t i = 0; i < state.schema.values.size(); ++i) {
    const ValueField& field = state.schema.values[i];
    Json& values = json["values"][field.name] = list(kIds + i);
    for (Json& facet : values)
      if (field.number) facet["value"] = Json(Xapian::sortable_unserialise(facet["value"])).dump();
  }
  return json;
}

/// Documents of the page that are nearly the same become one: the first of them.
void fold(App& app, const Request& request, const Json& similarity, Json& documents) {
  const std::string filter = filter_of(documents);
  if (filter.empty()) return;
  std::map<Json, std::pair<std::size_t, double>> group_of;  // by docid
  const Json answer =
      app.ask(request, "duplicates", {{"filter", filter}, {"min_similarity", similarity}});
  for (const Json& group : answer["groups"])
    for (const Json& document : group["documents"])
      group_of[document["docid"]] = {group_of.size(), group["least_similarity"]};
  Json kept = Json::array();
  std::map<std::size_t, std::size_t> first;  // by group: where it is in `kept`
  for (Json& document : documents) {
    const auto group = group_of.find(document["docid"]);
    if (group == group_of.end() || first.emplace(group->second.first, kept.size()).second) {
      kept.push_back(std::move(document));
      continue;
    }
    kept[first[group->second.first]]["duplicates"].push_back(
        {{"id", document["id"]},
         {"title", document["title"]},
         {"similarity", group->second.second}});
  }
  documents = std::move(kept);
}

}  // namespace

Response answer_search(App& app, const Request& request, const Json& asked) {
  const auto state = app.state();
  const Timings before = request.timings;
  Json json = {{"request", asked}};
  const SearchAnswer found = app.read(
      request, [&](const Xapian::Database& database) { return search(database, asked, *state); });
  json["documents"] = found.documents;
  json["total"] = {{"estimate", found.counts.estimate}, {"exact", found.counts.exact}};
  json["facets"] = facets_json(*state, found.counts, asked["facets"]);
  json["counted"] = found.counts.counted;
  json["correction"] = found.correction.empty() ? Json() : Json(found.correction);
  if (asked["fold"] > 0) fold(app, request, asked["fold"], json["documents"]);
  json["took"] = {{"xapian_ms", 1000 * (request.timings.xapian - before.xapian)},
                  {"plugin_ms", 1000 * (request.timings.plugin - before.plugin)}};
  return checked_answer(std::move(json));
}

/// `hits`: for each unit how many documents that match lie there.
Response answer_map(App& app, const Request& request, const Json& asked) {
  Json json = app.ask(request, "map", {{"places", asked["places"]}});
  const auto state = app.state();
  const SearchAnswer found = app.read(
      request, [&](const Xapian::Database& database) { return search(database, asked, *state); });
  json["hits"] = Json::array();
  for (const Facet& unit : state->facets->most_frequent(found.counts, kUnits, SIZE_MAX))
    json["hits"].push_back({{"unit", std::stoul(unit.value)}, {"documents", unit.documents}});
  return handed_on(std::move(json));
}

}  // namespace search_server
