// Search, and where on the map its results lie.

#include "index/search.h"

#include <algorithm>
#include <utility>

#include "api/routes.h"

namespace search_server {
namespace {

/// Facets are of at least so many documents, if they match.
constexpr std::size_t kCounted = 100'000;

SearchQuestion question_of(const App& app, const Json& asked) {
  const auto texts = [&](const std::string& name) {
    std::vector<std::string> values;
    for (const Json& value : asked.value(name, Json::array()))
      values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    return values;
  };
  SearchQuestion question;
  question.q = asked["q"];
  question.partial = asked["partial"];
  question.offset = asked.value("offset", question.offset);
  question.limit = asked.value("limit", std::uint32_t{0});
  question.sort = asked.value("sort", question.sort);
  question.counted = asked.value("facets", 1) > 0 ? kCounted : 0;
  Filters& filters = question.filters;
  filters.tags = texts("tag");
  filters.labels = {{kLabels, texts("label")}, {kPredicted, texts("predicted")}};
  filters.any = {
      {kTopics, texts("topic")}, {kUnits, texts("unit")}, {kLanguages, texts("language")}};
  for (const ValueField& field : app.options.values)
    filters.values[field.name] = texts("value." + field.name);
  return question;
}

Json filters_json(const Json& asked) {
  Json json = {{"values", Json::object()}};
  for (const char* name : {"tag", "label", "predicted", "topic", "unit", "language"})
    json[name] = asked[name];
  for (const auto& [name, values] : asked.items())
    if (name.starts_with("value.") && !values.empty()) json["values"][name.substr(6)] = values;
  return json;
}

/// Of the values of a kind those that most documents have, then in byte order, each as `make` has
/// it.
template <typename Make>
Json most_of(Facets& facets, std::size_t kind, std::size_t most, Make&& make) {
  Json list = Json::array();
  if (kind >= facets.by_kind.size()) return list;
  std::vector<Facets::Count>& counts = facets.by_kind[kind];
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(std::min(counts.size(), most));
  std::ranges::partial_sort(counts, end, {}, [](const Facets::Count& count) {
    return std::pair(~(count.documents + count.predicted), count.value);
  });
  std::for_each(counts.begin(), end, [&](const auto& count) { list.push_back(make(count)); });
  return list;
}

Json facets_json(Facets& facets, std::size_t most, const State& state) {
  using Count = Facets::Count;
  const auto plain = [](const Count& count) -> Json {
    return {{"value", count.value}, {"count", count.documents}};
  };
  Json json;
  json["label"] = most_of(facets, kLabels, most, [](const Count& count) -> Json {
    return {{"value", count.value}, {"documents", count.documents}, {"predicted", count.predicted}};
  });
  json["topic"] = most_of(facets, kTopics, most, [&](const Count& count) -> Json {
    const auto number = static_cast<std::uint32_t>(std::stoul(std::string(count.value)));
    const auto name = state.topics.find(number);
    return {{"value", number},
            {"name", name == state.topics.end() ? "" : name->second},
            {"count", count.documents}};
  });
  json["language"] = most_of(facets, kLanguages, most, plain);
  json["values"] = Json::object();
  for (std::size_t i = 0; i < state.schema.values.size(); ++i) {
    const ValueField& field = state.schema.values[i];
    json["values"][field.name] = most_of(facets, kIds + i, most, [&](const Count& count) {
      if (!field.number) return plain(count);
      const double number = Xapian::sortable_unserialise(std::string(count.value));
      return Json{{"value", to_text(Json(number))}, {"count", count.documents}};
    });
  }
  return json;
}

Json found_json(const FoundDocument& found, const State& state) {
  Json json = document_json(found.read, state);
  json["score"] = found.score;
  json["snippet"] = Json::array();
  for (const SnippetPart& part : found.snippet)
    json["snippet"].push_back({{"text", part.text}, {"hit", part.hit}});
  json["duplicates"] = Json::array();
  return json;
}

/// Documents of the page that are nearly the same become one: the first of them.
void fold(App& app, const Request& request, const Json& similarity, Json& documents) {
  std::string filter;
  for (const Json& document : documents) {
    const auto id = document["id"].get<std::string>();
    if (id.find('"') == id.npos) filter += "id:\"" + id + "\" ";
  }
  if (filter.empty()) return;
  std::map<Json, std::pair<std::size_t, double>> group_of;  // by docid
  const Json answer =
      app.ask(request, "duplicates", {{"filter", filter}, {"threshold", similarity}});
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
  Json json;
  for (const char* key : {"q", "offset", "limit", "sort"}) json[key] = asked[key];
  json["filters"] = filters_json(asked);
  const SearchQuestion question = question_of(app, asked);
  SearchAnswer found = app.read(request, [&](const OpenDatabase& open) {
    json["documents"] = Json::array();
    json["etag"] = '"' + open.version + '-' + state->facets->version() + '"';
    SearchAnswer answer = search(open.database, question, state->schema, app.words, *state->facets);
    for (const FoundDocument& document : answer.documents)
      json["documents"].push_back(found_json(document, *state));
    return answer;
  });
  json["total"] = {{"estimate", found.facets.estimate}, {"exact", found.facets.exact}};
  json["facets"] = facets_json(found.facets, asked["facets"], *state);
  json["counted"] = found.facets.counted;
  json["correction"] = found.correction.empty() ? Json() : Json(found.correction);
  if (asked["fold"] > 0) fold(app, request, asked["fold"], json["documents"]);
  json["took"] = {{"xapian_ms", 1000 * (request.timings.xapian - before.xapian)},
                  {"plugin_ms", 1000 * (request.timings.plugin - before.plugin)}};
  return json_answer(json);
}

Response answer_topics(App& app, const Request& request, const Json&) {
  const Json topics = app.ask(request, "topics");
  Json json = {{"topics", Json::array()},
               {"revision", topics["map"]["map_revision"]},
               {"stale", topics["map"]["documents"] != app.ask(request, "status")["documents"]}};
  for (Json topic : topics["topics"]) {
    topic.erase("typical");
    topic.erase("neighbors");
    json["topics"].push_back(std::move(topic));
  }
  return json_answer(json);
}

/// `hits`: for each unit how many documents that match lie there.
Response answer_map(App& app, const Request& request, const Json& asked) {
  Json json = Json::parse(answer_topics(app, request, asked).body);
  const Json map = app.ask(request, "map", {{"places", asked["places"]}});
  for (const char* key : {"rows", "columns", "lattice", "toroidal", "units"}) json[key] = map[key];
  for (std::size_t i = 0; i < json["units"].size(); ++i) json["units"][i]["unit"] = i;
  for (const Json& place : map.value("places", Json::array()))
    json["places"].push_back(
        {{"id", read_name(place["id"].get<std::string>())}, {"unit", place["unit"]}});
  const auto state = app.state();
  const SearchQuestion question = question_of(app, asked);
  SearchAnswer found = app.read(request, [&](const OpenDatabase& open) {
    return search(open.database, question, state->schema, app.words, *state->facets);
  });
  json["hits"] = most_of(found.facets, kUnits, 1'000'000, [](const Facets::Count& count) -> Json {
    return {{"unit", std::stoul(std::string(count.value))}, {"documents", count.documents}};
  });
  return json_answer(json);
}

}  // namespace search_server
