#include <algorithm>
#include <string_view>
#include <utility>

#include "api/answers/document_json.h"
#include "api/guarded.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "index/search.h"

namespace search_server {
namespace {

constexpr std::size_t kMostLabelBytes = 245;

SearchQuestion read_question(ParameterReader& parameters, const Schema& schema,
                             std::size_t query_limit) {
  SearchQuestion question;
  question.q = parameters.text("q", "", query_limit);
  question.offset = static_cast<std::uint32_t>(parameters.integer("offset", 0, 0, 10'000));
  question.limit = static_cast<std::uint32_t>(parameters.integer("limit", 10, 0, 100));
  question.sort = parameters.text("sort", "relevance", 64);
  question.partial = parameters.flag("partial", false);
  question.facets = static_cast<std::size_t>(parameters.integer("facets", 10, 0, 100));
  question.filters.labels = parameters.texts("label", kMostLabelBytes);
  question.filters.predicted = parameters.texts("predicted", kMostLabelBytes);
  question.filters.topics = parameters.integers("topic", 1, 1'000'000);
  question.filters.units = parameters.integers("unit", 0, 1'000'000);
  question.filters.languages = parameters.texts("language", 64);
  for (const ValueField& field : schema.values) {
    question.filters.values[field.name] = parameters.texts("value." + field.name, 1000);
  }
  return question;
}

Json filters_json(const Filters& filters) {
  Json json = {{"label", filters.labels},       {"predicted", filters.predicted},
               {"topic", filters.topics},       {"unit", filters.units},
               {"language", filters.languages}, {"values", Json::object()}};
  for (const auto& [name, values] : filters.values) {
    if (!values.empty()) json["values"][name] = values;
  }
  return json;
}

Json counts_json(const std::vector<FacetCount>& counts) {
  Json json = Json::array();
  for (const auto& [value, count] : counts) {
    json.push_back({{"value", value}, {"count", count}});
  }
  return json;
}

Json facets_json(const Facets& facets, const App::TopicNames& topics) {
  Json json = {{"label", counts_json(facets.labels)},
               {"predicted", counts_json(facets.predicted)},
               {"topic", Json::array()},
               {"language", counts_json(facets.languages)},
               {"values", Json::object()}};
  for (const auto& [value, count] : facets.topics) {
    const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    const Json topic = topic_json(number, topics);
    json["topic"].push_back({{"value", number}, {"name", topic["name"]}, {"count", count}});
  }
  for (const auto& [name, counts] : facets.values) json["values"][name] = counts_json(counts);
  return json;
}

Json found_json(const FoundDocument& found, const std::string& revision, const Schema& schema,
                const App::TopicNames& topics) {
  Json json = document_json(found.document, revision, schema, topics);
  json["score"] = found.score;
  json["snippet"] = Json::array();
  for (const SnippetPart& part : found.snippet) {
    json["snippet"].push_back({{"text", part.text}, {"hit", part.hit}});
  }
  json["duplicates"] = Json::array();
  return json;
}

/// A filter that these documents match. It leaves out ids that a filter cannot have.
std::string filter_of(const Json& documents) {
  std::string filter;
  for (const Json& document : documents) {
    const auto id = document["id"].get<std::string>();
    if (!id.empty() && id.find('"') == std::string::npos) filter += "id:\"" + id + "\" ";
  }
  return filter;
}

/// Documents of the page that are nearly the same become one: the first of them.
void fold(const Handle& plugin, double similarity, Json& documents) {
  const std::string filter = filter_of(documents);
  if (filter.empty()) return;
  const Json groups = plugin.ask(
      "duplicates",
      {{"filter", filter}, {"threshold", similarity}, {"limit", documents.size()}})["groups"];
  std::map<std::uint32_t, const Json*> group_of;
  for (const Json& group : groups)
    for (const Json& document : group["documents"])
      group_of[document["docid"].get<std::uint32_t>()] = &group;
  Json kept = Json::array();
  std::map<const Json*, std::size_t> first;  // where it is in `kept`
  for (Json& document : documents) {
    const auto group = group_of.find(document["docid"].get<std::uint32_t>());
    if (group != group_of.end()) {
      const auto [place, is_first] = first.emplace(group->second, kept.size());
      if (!is_first) {
        kept[place->second]["duplicates"].push_back(
            {{"id", document["id"]}, {"similarity", (*group->second)["least_similarity"]}});
        continue;
      }
    }
    kept.push_back(std::move(document));
  }
  documents = std::move(kept);
}

Json search_json(const SearchQuestion& question, const SearchAnswer& found,
                 const std::string& revision, const Schema& schema, const App::TopicNames& topics) {
  Json json = {{"q", question.q},
               {"offset", question.offset},
               {"limit", question.limit},
               {"sort", question.sort},
               {"filters", filters_json(question.filters)},
               {"total", {{"estimate", found.estimate}, {"exact", found.exact}}},
               {"documents", Json::array()},
               {"facets", facets_json(found.facets, topics)},
               {"counted", found.facets.counted},
               {"etag", revision}};
  for (const FoundDocument& document : found.documents) {
    json["documents"].push_back(found_json(document, revision, schema, topics));
  }
  json["correction"] = found.correction.empty() ? Json() : Json(found.correction);
  return json;
}

Response answer_search(App& app, const Request& request) {
  const auto schema = app.schema();
  ParameterReader parameters(request);
  SearchQuestion question = read_question(parameters, *schema, app.options().query_limit);
  question.facet_documents = app.options().facet_documents;
  const double similarity = parameters.number("fold", 0, 0, 1);
  parameters.done();
  const Timings before = request.timings;
  const QueryAnalysis analysis = app.query_analysis(question.q);
  std::string etag;
  SearchAnswer found;
  {
    const TimeSpent spent(request.timings.xapian);
    found = app.databases().with([&](const OpenDatabase& open) {
      etag = open.etag();
      const auto facets = app.facet_table();
      const bool fits = facets && facets->revision() == etag;
      return search(open.database, question, *schema, analysis, fits ? facets.get() : nullptr);
    });
  }
  Json json = search_json(question, found, etag, *schema, *app.topic_names());
  if (similarity > 0) {
    const TimeSpent spent(request.timings.plugin);
    fold(*app.plugin(), similarity, json["documents"]);
  }
  json["took"] = {{"xapian_ms", 1000 * (request.timings.xapian - before.xapian)},
                  {"plugin_ms", 1000 * (request.timings.plugin - before.plugin)}};
  return answer(json, etag);
}

}  // namespace

void add_search_routes(Router& router, App& app) {
  router.add("GET", "/search",
             guarded([&app](const Request& request) { return answer_search(app, request); }));
}

}  // namespace search_server
