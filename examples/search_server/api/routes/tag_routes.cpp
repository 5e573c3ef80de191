#include <utility>

#include "api/answers/document_json.h"
#include "api/answers/reason_json.h"
#include "api/guarded.h"
#include "api/reading/examples.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/writing.h"

namespace search_server {
namespace {

constexpr std::size_t kMostLabels = 100;
constexpr std::size_t kMostLabelBytes = 245;
constexpr std::size_t kMostNearMisses = 20;

struct TagChanges {
  std::vector<std::string> accept;
  std::vector<std::string> remove;
  std::vector<std::string> add;
};

TagChanges read_changes(const Json& body) {
  MemberReader members(body);
  TagChanges changes;
  changes.accept = members.texts("accept", kMostLabels, kMostLabelBytes);
  changes.remove = members.texts("remove", kMostLabels, kMostLabelBytes);
  changes.add = members.texts("add", kMostLabels, kMostLabelBytes);
  members.done();
  return changes;
}

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(written_name(name));
  return list;
}

/// What people take off does not come back, whoever had given it. What they add in the same request
/// does.
Json edits_of(const std::string& id, const TagChanges& changes) {
  Json edits = Json::array();
  const Json removed = names_json(changes.remove);
  if (!removed.empty())
    edits.push_back({{"id", written_name(id)}, {"remove_labels", removed}, {"remove", removed}});
  Json added = names_json(changes.accept);
  for (const std::string& label : changes.add) added.push_back(written_name(label));
  if (!added.empty()) edits.push_back({{"id", written_name(id)}, {"add_labels", added}});
  return edits;
}

void check_if_match(App& app, const Request& request, const std::string& id) {
  const std::string if_match = request.header("if-match");
  const auto schema = app.schema();
  app.databases().with([&](const OpenDatabase& open) {
    const Xapian::docid docid = require_document(open.database, id, *schema);
    if (if_match.empty()) return;
    const IndexedDocument document = read_document(open.database.get_document(docid), *schema);
    if (matches_tags(if_match, document_etag(open.etag(), document))) return;
    throw Problem(412, "tags-changed",
                  "the tags of the document have changed since; read it again");
  });
}

Response edit_tags(App& app, const Request& request) {
  ParameterReader(request).done();
  const std::string id = request.captures.find("id")->second;
  const TagChanges changes = read_changes(read_object(request, app.options().document_limit));
  const Json edits = edits_of(id, changes);
  write(app, request, [&](const Handle& plugin) {
    check_if_match(app, request, id);
    if (!edits.empty()) plugin.ask("edit", {{"edits", edits}});
  });
  app.slow_answers().changed(id);
  const auto schema = app.schema();
  return app.databases().with([&](const OpenDatabase& open) {
    const Xapian::docid docid = require_document(open.database, id, *schema);
    const IndexedDocument document = read_document(open.database.get_document(docid), *schema);
    return answer(document_json(document, open.etag(), *schema, *app.topic_names()),
                  document_etag(open.etag(), document));
  });
}

Json classification_json(const Json& result) {
  const Json reasons = result.value("reasons", Json::array());
  const Json neighbors = result.value("neighbors", Json::array());
  Json tags = Json::array();
  for (const Json& given : result["tags"]) {
    Json tag = tag_json(given);
    const Json reason = tags.size() < reasons.size() ? reasons[tags.size()] : Json();
    tag["threshold"] = reason.is_null() ? Json(0) : reason["threshold"];
    tag.update(reason_json(reason, neighbors));
    tags.push_back(std::move(tag));
  }
  Json misses = Json::array();
  for (const Json& miss : result.value("near_misses", Json::array())) {
    if (misses.size() == kMostNearMisses) break;
    misses.push_back({{"label", read_name(miss["label"])},
                      {"confidence", miss["confidence"]},
                      {"threshold", miss["threshold"]}});
  }
  return {{"tags", std::move(tags)},
          {"near_misses", std::move(misses)},
          {"best", result["best"].is_null() ? Json() : tag_json(result["best"])}};
}

Response answer_classify(App& app, const Request& request) {
  ParameterReader(request).done();
  const Json body = read_object(request, app.options().document_limit);
  MemberReader members(body);
  Json question = {{"examples", Json::array({read_example(members, "the body")})},
                   {"filter", members.text("filter", 0, 65'536).value_or("")}};
  const std::string vote = members.word(
      "vote", "",
      {"majority", "similarity", "best", "nearest", "centroid", "profile", "blend", "unit"});
  if (!vote.empty()) question["vote"] = vote;
  if (members.any("k")) question["k"] = members.integer("k", 1, 1, 1000);
  if (members.any("threshold")) question["threshold"] = members.number("threshold", 0, 0, 1);
  if (members.any("max_labels")) question["limit"] = members.integer("max_labels", 1, 1, 100);
  const bool explain = members.flag("explain", true);
  for (const char* key : {"explain", "neighbors", "titles"}) question[key] = explain;
  members.done();
  const auto plugin = app.plugin();
  Json json;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    json = classification_json(plugin->ask("classify", question)["answers"][0]);
    etag = snapshot_etag(plugin->status());
  }
  add_words(app, request, json["tags"]);
  json["etag"] = etag;
  return answer(json, etag);
}

}  // namespace

void add_tag_routes(Router& router, App& app) {
  RouteOptions options;
  options.body_limit = app.options().document_limit;
  router.add("POST", "/classify",
             guarded([&app](const Request& request) { return answer_classify(app, request); }),
             options);
  options.writes = true;
  router.add("POST", "/documents/{id}/tags",
             guarded([&app](const Request& request) { return edit_tags(app, request); }), options);
}

}  // namespace search_server
