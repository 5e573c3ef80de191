#include <map>
#include <utility>

#include "api/answers/document_json.h"
#include "api/answers/reason_json.h"
#include "api/guarded.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/running.h"

namespace search_server {
namespace {

Response answer_labels(App& app, const Request& request) {
  ParameterReader(request).done();
  const auto plugin = app.plugin();
  const TimeSpent spent(request.timings.plugin);
  Json labels = Json::array();
  const Json found = plugin->ask("labels");
  for (const Json& label : found["labels"]) {
    if (label["documents"] == 0 && label["predicted"] == 0) continue;  // it was only refused
    labels.push_back({{"label", read_name(label["label"])},
                      {"documents", label["documents"]},
                      {"predicted", label["predicted"]}});
  }
  const std::string etag = snapshot_etag(plugin->status());
  return answer({{"labels", std::move(labels)}, {"etag", etag}}, etag);
}

Json candidate_json(const Json& candidate) {
  Json json = {{"id", read_name(candidate["id"])},
               {"docid", candidate["docid"]},
               {"title", candidate["title"]},
               {"confidence", candidate["confidence"]},
               {"labels", read_names(candidate["labels"])},
               {"predicted", read_names(candidate["predicted"])}};
  json.update(
      reason_json(candidate.value("reason", Json()), candidate.value("neighbors", Json::array())));
  return json;
}

/// Fills the titles of the voters.
void add_voter_titles(App& app, const Request& request, Json& candidates) {
  const auto schema = app.schema();
  const TimeSpent spent(request.timings.xapian);
  app.databases().with([&](const OpenDatabase& open) {
    for (Json& candidate : candidates) {
      for (Json& voter : candidate["voters"]) {
        const Xapian::docid docid =
            find_document(open.database, voter["id"].get<std::string>(), *schema);
        if (docid == 0) continue;
        voter["title"] = read_document(open.database.get_document(docid), *schema).title;
      }
    }
  });
}

/// A list that people work through, made of the documents of the whole index. `make(plugin)` gives
/// it in the member `list` of an object.
template <typename Make>
Response worked_through(App& app, const Request& request, const std::string& list, Make&& make) {
  const auto plugin = app.plugin();
  const std::string now = snapshot_etag(plugin->status());
  const Json json = app.slow_answers().get(request.target, now, list, request.deadline, [&] {
    Json made = make(*plugin);
    made["etag"] = now;
    return made;
  });
  return answer(json, json["etag"] == now ? now : "");
}

Json find_candidates(App& app, const Request& request, const Handle& plugin, const Json& question) {
  Json json = {{"label", read_name(question["label"])}};
  Json candidates = Json::array();
  {
    const TimeSpent spent(request.timings.plugin);
    const Json result = plugin.ask("candidates", question, until(request.deadline));
    json["examined"] = result["examined"];
    json["found"] = result["found"];
    for (const Json& candidate : result["candidates"])
      candidates.push_back(candidate_json(candidate));
  }
  add_etags(app, request, candidates);
  add_voter_titles(app, request, candidates);
  add_words(app, request, candidates);
  json["candidates"] = std::move(candidates);
  return json;
}

Response answer_candidates(App& app, const Request& request) {
  ParameterReader parameters(request);
  const std::string& label = request.captures.find("label")->second;
  const Json question = {{"label", written_name(label)},
                         {"filter", parameters.text("filter", "", 65'536)},
                         {"limit", parameters.integer("limit", 20, 1, 1000)},
                         {"min_confidence", parameters.number("min_confidence", 0, 0, 1)},
                         {"predicted", parameters.flag("predicted", false)},
                         {"explain", parameters.flag("explain", false)}};
  parameters.done();
  return worked_through(app, request, "candidates", [&](const Handle& plugin) {
    return find_candidates(app, request, plugin, question);
  });
}

Json suspect_json(const Json& suspect) {
  Json neighbors = Json::array();
  for (const Json& neighbor : suspect["neighbors"])
    neighbors.push_back({{"id", read_name(neighbor["id"])},
                         {"title", neighbor["title"]},
                         {"similarity", neighbor["similarity"]},
                         {"labels", read_names(neighbor["labels"])}});
  return {{"id", read_name(suspect["id"])},
          {"docid", suspect["docid"]},
          {"title", suspect["title"]},
          {"labels", read_names(suspect["labels"])},
          {"margin", suspect["margin"]},
          {"weakest", tag_json(suspect["weakest"])},
          {"strongest", tag_json(suspect["strongest"])},
          {"proposed", tags_json(suspect["proposed"])},
          {"neighbors", std::move(neighbors)}};
}

Json find_suspects(App& app, const Request& request, const Handle& plugin, const Json& question) {
  Json json;
  Json suspects = Json::array();
  {
    const TimeSpent spent(request.timings.plugin);
    const Json result = plugin.ask("suspects", question, until(request.deadline));
    json = {{"examined", result["examined"]}, {"found", result["found"]}};
    for (const Json& suspect : result["suspects"]) suspects.push_back(suspect_json(suspect));
  }
  add_etags(app, request, suspects);
  json["suspects"] = std::move(suspects);
  return json;
}

Response answer_suspects(App& app, const Request& request) {
  ParameterReader parameters(request);
  const Json question = {{"query", parameters.text("filter", "", 65'536)},
                         {"limit", parameters.integer("limit", 20, 1, 1000)}};
  parameters.done();
  return worked_through(app, request, "suspects", [&](const Handle& plugin) {
    return find_suspects(app, request, plugin, question);
  });
}

}  // namespace

void add_label_routes(Router& router, App& app) {
  router.add("GET", "/labels",
             guarded([&app](const Request& request) { return answer_labels(app, request); }));
  router.add("GET", "/labels/{label}/candidates",
             guarded([&app](const Request& request) { return answer_candidates(app, request); }));
  router.add("GET", "/suspects",
             guarded([&app](const Request& request) { return answer_suspects(app, request); }));
}

}  // namespace search_server
