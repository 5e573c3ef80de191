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
  const auto result = plugin->ask(&kindred_descriptor::labels, &kindred_descriptor::labels_free);
  Json labels = Json::array();
  for (std::size_t i = 0; i < result->label_count; ++i) {
    const kindred_label& label = result->labels[i];
    if (label.documents == 0 && label.predicted == 0) continue;  // it was only refused
    labels.push_back({{"label", view(label.name)},
                      {"documents", label.documents},
                      {"predicted", label.predicted}});
  }
  const std::string etag = snapshot_etag(plugin->status());
  return answer({{"labels", std::move(labels)}, {"etag", etag}}, etag);
}

Json candidate_json(const kindred_candidate& candidate) {
  Json json = {{"id", view(candidate.id)},
               {"docid", candidate.docid},
               {"title", view(candidate.title)},
               {"confidence", candidate.confidence},
               {"labels", strings_json(candidate.labels, candidate.label_count)},
               {"predicted", strings_json(candidate.predicted, candidate.predicted_count)}};
  json.update(reason_json(candidate.reason, {}));
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

Json find_candidates(App& app, const Request& request, const Handle& plugin,
                     kindred_candidates_request question) {
  Running running(request.deadline);
  question.progress = Running::step<kindred_candidates_step>;
  question.progress_user = &running;
  Json json = {{"label", view(question.label)}};
  Json candidates = Json::array();
  {
    const TimeSpent spent(request.timings.plugin);
    const auto result = plugin.ask(&kindred_descriptor::candidates,
                                   &kindred_descriptor::candidates_free, &std::as_const(question));
    json["examined"] = result->examined;
    json["found"] = result->found;
    for (std::size_t i = 0; i < result->candidate_count; ++i) {
      candidates.push_back(candidate_json(result->candidates[i]));
    }
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
  const std::string filter = parameters.text("filter", "", 65'536);
  kindred_candidates_request question = KINDRED_CANDIDATES_REQUEST_INIT;
  question.label = borrowed(label);
  question.filter = borrowed(filter);
  question.limit = parameters.integer("limit", 20, 1, 1000);
  question.min_confidence = parameters.number("min_confidence", 0, 0, 1);
  if (parameters.flag("predicted", false)) question.flags |= KINDRED_INCLUDE_PREDICTED;
  if (parameters.flag("explain", false)) question.flags |= KINDRED_EXPLAIN;
  parameters.done();
  return worked_through(app, request, "candidates", [&](const Handle& plugin) {
    return find_candidates(app, request, plugin, question);
  });
}

Json suspect_json(const kindred_suspect& suspect) {
  Json neighbors = Json::array();
  for (std::size_t i = 0; i < suspect.neighbor_count; ++i) {
    const kindred_neighbor& neighbor = suspect.neighbors[i];
    neighbors.push_back({{"id", view(neighbor.id)},
                         {"title", view(suspect.neighbor_titles[i])},
                         {"similarity", double{neighbor.similarity}},
                         {"labels", strings_json(neighbor.labels, neighbor.label_count)}});
  }
  return {{"id", view(suspect.id)},
          {"docid", suspect.docid},
          {"title", view(suspect.title)},
          {"labels", strings_json(suspect.labels, suspect.label_count)},
          {"margin", suspect.margin},
          {"weakest", tag_json(suspect.weakest)},
          {"strongest", tag_json(suspect.strongest)},
          {"proposed", tags_json(suspect.proposed, suspect.proposed_count)},
          {"neighbors", std::move(neighbors)}};
}

Json find_suspects(App& app, const Request& request, const Handle& plugin,
                   kindred_suspects_request question) {
  Running running(request.deadline);
  question.progress = Running::step<kindred_step>;
  question.progress_user = &running;
  Json json;
  Json suspects = Json::array();
  {
    const TimeSpent spent(request.timings.plugin);
    const auto result = plugin.ask(&kindred_descriptor::suspects,
                                   &kindred_descriptor::suspects_free, &std::as_const(question));
    json = {{"examined", result->examined}, {"found", result->found}};
    for (std::size_t i = 0; i < result->suspect_count; ++i) {
      suspects.push_back(suspect_json(result->suspects[i]));
    }
  }
  add_etags(app, request, suspects);
  json["suspects"] = std::move(suspects);
  return json;
}

Response answer_suspects(App& app, const Request& request) {
  ParameterReader parameters(request);
  const std::string query = parameters.text("filter", "", 65'536);
  kindred_suspects_request question = KINDRED_SUSPECTS_REQUEST_INIT;
  question.query = borrowed(query);
  question.limit = parameters.integer("limit", 20, 1, 1000);
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
