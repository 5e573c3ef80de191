#include <map>
#include <utility>

#include "api/answers/document_json.h"
#include "api/guarded.h"
#include "api/reading/examples.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/running.h"

namespace search_server {
namespace {

Json related_json(const Json& result) {
  Json documents = Json::array();
  for (const Json& document : result["results"]) {
    Json folded = Json::array();
    for (const Json& other : document.value("folded", Json::array()))
      folded.push_back({{"id", read_name(other["id"])}, {"similarity", other["similarity"]}});
    documents.push_back({{"id", read_name(document["id"])},
                         {"docid", document["docid"]},
                         {"title", document["title"]},
                         {"similarity", document["similarity"]},
                         {"terms", terms_json(document.value("terms", Json::array()))},
                         {"labels", Json::array()},
                         {"folded", std::move(folded)}});
  }
  return documents;
}

Response answer_question(App& app, const Request& request, const Json& question) {
  const auto plugin = app.plugin();
  Json documents;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    documents = related_json(plugin->ask("related", question));
    etag = snapshot_etag(plugin->status());
  }
  add_labels(app, request, documents);
  add_words(app, request, documents);
  return answer({{"documents", std::move(documents)}, {"etag", etag}}, etag);
}

Response answer_related_to(App& app, const Request& request) {
  ParameterReader parameters(request);
  const Json question = {
      {"like", Json::array({Json({{"id", written_name(request.captures.find("id")->second)}})})},
      {"limit", parameters.integer("k", 10, 1, 100)},
      {"threshold", parameters.number("threshold", 0, 0, 1)},
      {"filter", parameters.text("filter", "", 65'536)},
      {"fold", parameters.number("fold", 0, 0, 1)},
      {"explain", parameters.flag("explain", false)}};
  parameters.done();
  return answer_question(app, request, question);
}

Json read_examples(MemberReader& members, const std::string& name) {
  Json examples = Json::array();
  for (const Json* element : members.list(name, 32)) {
    const std::string place = name + "[" + std::to_string(examples.size()) + "]";
    MemberReader example(*element, place + ".");
    examples.push_back(read_example(example, place));
    example.done();
  }
  return examples;
}

Response answer_related(App& app, const Request& request) {
  ParameterReader(request).done();
  const Json body = read_object(request, app.options().document_limit);
  MemberReader members(body);
  Json question = {{"like", read_examples(members, "like")},
                   {"unlike", read_examples(members, "unlike")}};
  if (question["like"].empty()) members.refuse("like", "expected at least one example");
  question["filter"] = members.text("filter", 0, 65'536).value_or("");
  question["limit"] = members.integer("k", 10, 1, 100);
  question["threshold"] = members.number("threshold", 0, 0, 1);
  question["fold"] = members.number("fold", 0, 0, 1);
  question["explain"] = members.flag("explain", false);
  members.done();
  return answer_question(app, request, question);
}

Response answer_duplicates(App& app, const Request& request) {
  ParameterReader parameters(request);
  const Json question = {{"filter", parameters.text("filter", "", 65'536)},
                         {"threshold", parameters.number("threshold", 0.95, 0.5, 1)},
                         {"limit", parameters.integer("limit", 100, 1, 1000)}};
  parameters.done();
  const auto plugin = app.plugin();
  Json groups = Json::array();
  Json json;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    const Json result = plugin->ask("duplicates", question, until(request.deadline));
    for (const Json& group : result["groups"]) {
      Json documents = Json::array();
      for (const Json& document : group["documents"])
        documents.push_back({{"id", read_name(document["id"])},
                             {"docid", document["docid"]},
                             {"title", ""},
                             {"labels", read_names(document["labels"])}});
      groups.push_back({{"documents", std::move(documents)},
                        {"least_similarity", group["least_similarity"]},
                        {"greatest_similarity", group["greatest_similarity"]}});
    }
    etag = snapshot_etag(plugin->status());
    json = {{"groups", nullptr},
            {"examined", result["examined"]},
            {"found", result["found"]},
            {"grouped", result["grouped"]},
            {"etag", etag}};
  }
  for (Json& group : groups) add_titles(app, request, group["documents"]);
  json["groups"] = std::move(groups);
  return answer(json, etag);
}

}  // namespace

void add_related_routes(Router& router, App& app) {
  router.add("GET", "/documents/{id}/related",
             guarded([&app](const Request& request) { return answer_related_to(app, request); }));
  RouteOptions with_body;
  with_body.body_limit = app.options().document_limit;
  router.add("POST", "/related",
             guarded([&app](const Request& request) { return answer_related(app, request); }),
             with_body);
  router.add("GET", "/duplicates",
             guarded([&app](const Request& request) { return answer_duplicates(app, request); }));
}

}  // namespace search_server
