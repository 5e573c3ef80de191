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

/// What is asked of the plugin, with the texts that the request borrows.
struct RelatedQuestion {
  Examples like;
  Examples unlike;
  std::string filter;
  kindred_related_request request = KINDRED_RELATED_REQUEST_INIT;

  void set(std::int64_t k, double threshold, double fold, bool explain) {
    request.k = k;
    request.threshold = threshold;
    request.fold = fold;
    request.flags = explain ? KINDRED_EXPLAIN : 0;
  }
  const kindred_related_request* complete() {
    request.like = like.data();
    request.like_count = like.size();
    request.unlike = unlike.data();
    request.unlike_count = unlike.size();
    request.filter = borrowed(filter);
    return &request;
  }
};

Json related_json(const kindred_related_result& result) {
  Json documents = Json::array();
  for (std::size_t i = 0; i < result.document_count; ++i) {
    const kindred_related_document& document = result.documents[i];
    documents.push_back({{"id", view(document.id)},
                         {"docid", document.docid},
                         {"title", view(document.title)},
                         {"similarity", double{document.similarity}},
                         {"terms", terms_json(document.terms, document.term_count)},
                         {"labels", Json::array()},
                         {"folded", Json::array()}});
  }
  for (std::size_t i = 0; i < result.folded_count; ++i) {
    const kindred_folded_document& folded = result.folded[i];
    documents[folded.result]["folded"].push_back(
        {{"id", view(folded.id)}, {"similarity", double{folded.similarity}}});
  }
  return documents;
}

Response answer_question(App& app, const Request& request, RelatedQuestion& question) {
  const auto plugin = app.plugin();
  Json documents;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    const auto result = plugin->ask(&kindred_descriptor::related, &kindred_descriptor::related_free,
                                    question.complete());
    documents = related_json(*result);
    etag = snapshot_etag(plugin->status());
  }
  add_labels(app, request, documents);
  add_words(app, request, documents);
  return answer({{"documents", std::move(documents)}, {"etag", etag}}, etag);
}

Response answer_related_to(App& app, const Request& request) {
  ParameterReader parameters(request);
  RelatedQuestion question;
  question.like.add_id(request.captures.find("id")->second);
  const std::int64_t k = parameters.integer("k", 10, 1, 100);
  const double threshold = parameters.number("threshold", 0, 0, 1);
  question.filter = parameters.text("filter", "", 65'536);
  const double fold = parameters.number("fold", 0, 0, 1);
  question.set(k, threshold, fold, parameters.flag("explain", false));
  parameters.done();
  return answer_question(app, request, question);
}

void read_examples(MemberReader& members, const std::string& name, Examples& to) {
  std::size_t i = 0;
  for (const Json* element : members.list(name, 32)) {
    const std::string place = name + "[" + std::to_string(i++) + "]";
    MemberReader example(*element, place + ".");
    to.add(example, place);
    example.done();
  }
}

Response answer_related(App& app, const Request& request) {
  ParameterReader(request).done();
  const Json body = read_object(request, app.options().document_limit);
  MemberReader members(body);
  RelatedQuestion question;
  read_examples(members, "like", question.like);
  read_examples(members, "unlike", question.unlike);
  if (question.like.size() == 0) members.refuse("like", "expected at least one example");
  question.filter = members.text("filter", 0, 65'536).value_or("");
  const std::int64_t k = members.integer("k", 10, 1, 100);
  const double threshold = members.number("threshold", 0, 0, 1);
  const double fold = members.number("fold", 0, 0, 1);
  question.set(k, threshold, fold, members.flag("explain", false));
  members.done();
  return answer_question(app, request, question);
}

Response answer_duplicates(App& app, const Request& request) {
  ParameterReader parameters(request);
  const std::string filter = parameters.text("filter", "", 65'536);
  kindred_duplicates_request question = KINDRED_DUPLICATES_REQUEST_INIT;
  question.filter = borrowed(filter);
  question.threshold = parameters.number("threshold", 0.95, 0.5, 1);
  question.limit = parameters.integer("limit", 100, 1, 1000);
  parameters.done();
  Running running(request.deadline);
  question.progress = Running::step<kindred_duplicates_step>;
  question.progress_user = &running;
  const auto plugin = app.plugin();
  Json groups = Json::array();
  Json json;
  std::string etag;
  {
    const TimeSpent spent(request.timings.plugin);
    const auto result = plugin->ask(&kindred_descriptor::duplicates,
                                    &kindred_descriptor::duplicates_free, &std::as_const(question));
    for (std::size_t i = 0; i < result->group_count; ++i) {
      const kindred_duplicate_group& group = result->groups[i];
      Json documents = Json::array();
      for (std::size_t j = 0; j < group.document_count; ++j) {
        const kindred_duplicate& document = group.documents[j];
        documents.push_back({{"id", view(document.id)},
                             {"docid", document.docid},
                             {"title", ""},
                             {"labels", strings_json(document.labels, document.label_count)}});
      }
      groups.push_back({{"documents", std::move(documents)},
                        {"least_similarity", double{group.least_similarity}},
                        {"greatest_similarity", double{group.greatest_similarity}}});
    }
    etag = snapshot_etag(plugin->status());
    json = {{"groups", nullptr},
            {"examined", result->examined},
            {"found", result->found},
            {"grouped", result->grouped},
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
