#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
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

/// The changes of a request, with the texts that they borrow.
class Edits {
 public:
  explicit Edits(std::string id) : id_(std::move(id)) {}

  void add(kindred_tag_edit edit, std::string label) {
    labels_.push_back(std::move(label));
    edits_.push_back({edit, borrowed(id_), borrowed(labels_.back())});
  }
  const kindred_edit* data() const { return edits_.data(); }
  std::size_t size() const { return edits_.size(); }

 private:
  const std::string id_;
  std::deque<std::string> labels_;
  std::vector<kindred_edit> edits_;
};

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

/// What people take off does not come back, whoever had given it.
void make_edits(const TagChanges& changes, Edits& edits) {
  for (const std::string& label : changes.remove) {
    edits.add(KINDRED_REMOVE_LABEL, label);
    edits.add(KINDRED_REMOVE_TAG, label);
  }
  for (const std::string& label : changes.accept) edits.add(KINDRED_ADD_LABEL, label);
  for (const std::string& label : changes.add) edits.add(KINDRED_ADD_LABEL, label);
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
  Edits edits(id);
  make_edits(changes, edits);
  write(app, request, [&](const Handle& plugin) {
    check_if_match(app, request, id);
    if (edits.size() == 0) return;
    plugin.call(&kindred_descriptor::edit_tags, edits.data(), edits.size(),
                static_cast<kindred_documents_result**>(nullptr));
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

Json classification_json(const kindred_classification& result) {
  std::map<std::string_view, std::string_view> titles;
  for (std::size_t i = 0; i < result.neighbor_count && result.neighbor_titles != nullptr; ++i) {
    titles[view(result.neighbors[i].id)] = view(result.neighbor_titles[i]);
  }
  Json tags = Json::array();
  for (std::size_t i = 0; i < result.tag_count; ++i) {
    Json tag = tag_json(result.tags[i]);
    const kindred_reason* reason = i < result.reason_count ? &result.reasons[i] : nullptr;
    tag["threshold"] = reason != nullptr ? reason->threshold : 0;
    tag.update(reason_json(reason, titles));
    tags.push_back(std::move(tag));
  }
  Json misses = Json::array();
  for (std::size_t i = 0; i < std::min(result.near_miss_count, kMostNearMisses); ++i) {
    const kindred_near_miss& miss = result.near_misses[i];
    misses.push_back(
        {{"label", view(miss.label)},
         {"confidence", miss.confidence},
         {"threshold", std::isfinite(miss.threshold) ? Json(miss.threshold) : Json()}});
  }
  return {{"tags", std::move(tags)},
          {"near_misses", std::move(misses)},
          {"best", result.best != nullptr ? tag_json(*result.best) : Json()}};
}

Response answer_classify(App& app, const Request& request) {
  ParameterReader(request).done();
  const Json body = read_object(request, app.options().document_limit);
  MemberReader members(body);
  Examples example;
  example.add(members, "the body");
  kindred_classify_request question = KINDRED_CLASSIFY_REQUEST_INIT;
  const std::string filter = members.text("filter", 0, 65'536).value_or("");
  const std::string vote = members.word(
      "vote", "",
      {"majority", "similarity", "best", "nearest", "centroid", "profile", "blend", "unit"});
  question.filter = borrowed(filter);
  question.vote = borrowed(vote);
  question.k = members.integer("k", KINDRED_DEFAULT, 1, 1000);
  question.threshold = members.number("threshold", KINDRED_DEFAULT, 0, 1);
  question.max_labels = members.integer("max_labels", KINDRED_DEFAULT, 1, 100);
  if (members.flag("explain", true)) {
    question.flags = KINDRED_EXPLAIN | KINDRED_NEIGHBORS | KINDRED_TITLES;
  }
  members.done();
  const auto plugin = app.plugin();
  Json json;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    const auto result =
        plugin->ask(&kindred_descriptor::classify, &kindred_descriptor::classification_free,
                    example.data(), &std::as_const(question));
    json = classification_json(*result);
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
