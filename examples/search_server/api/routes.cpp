#include "api/routes.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace search_server {
namespace {

using kindred::Shape;

/// How a route answers.
struct Way {
  Answer* answer;
  bool reads_only = false;    ///< though it is no GET
  bool has_raw_body = false;  ///< the answer reads it
  bool has_filters = false;   ///< by the values of the settings, too
};

const std::map<std::string, Way> kWays = {
    {"GET /search", {.answer = answer_search, .has_filters = true}},
    {"GET /topics", {answer_topics}},
    {"GET /map", {.answer = answer_map, .has_filters = true}},
    {"POST /documents", {.answer = post_documents, .has_raw_body = true}},
    {"GET /documents/{id}", {answer_document}},
    {"PUT /documents/{id}", {.answer = put_document, .has_raw_body = true}},
    {"DELETE /documents/{id}", {delete_document}},
    {"GET /documents/{id}/related", {answer_related}},
    {"POST /documents/{id}/tags", {edit_tags}},
    {"POST /documents/tags", {edit_many}},
    {"POST /related", {.answer = answer_related, .reads_only = true}},
    {"POST /classify", {.answer = answer_classify, .reads_only = true}},
    {"GET /labels", {answer_labels}},
    {"GET /labels/{label}/candidates", {answer_candidates}},
    {"GET /suspects", {answer_suspects}},
    {"GET /duplicates", {answer_duplicates}},
    {"GET /status", {answer_status}},
    {"GET /healthz", {answer_health}},
    {"GET /readyz", {answer_ready}},
    {"GET /jobs", {answer_jobs}},
    {"GET /jobs/{id}", {answer_job}},
    {"DELETE /jobs/{id}", {cancel_job}},
    {"POST /jobs/tune", {start_tune}},
    {"POST /jobs/train", {start_train}},
    {"POST /jobs/tag", {start_tag}},
};

/// What a parameter says: a number or a flag as such, anything else as it is.
Json value_of(Shape::Type type, const std::string& text) {
  using Type = Shape::Type;
  if (type == Type::kFlag && (text == "0" || text == "1")) return text == "1";
  if (type != Type::kFlag && type != Type::kWhole && type != Type::kNumber) return text;
  Json read = Json::parse(text, nullptr, false);
  return read.is_number() || read.is_boolean() ? read : Json(text);
}

/// The parameters of a request as an object. One that is given twice, but is no list, becomes one.
Json parameters_of(const Request& request, const Shape& shape) {
  Json object = Json::object();
  for (const auto& [name, value] : request.query) {
    const auto key = std::ranges::find(shape.members, name, &Shape::name);
    const bool is_known = key != shape.members.end();
    const bool is_list = is_known && key->type == Shape::Type::kList;
    const Shape expected = is_list ? key->members.front() : is_known ? *key : Shape();
    const Json given = value_of(expected.type, value);
    if (is_list) {
      object[name].push_back(given);
    } else {
      object[name] = object.contains(name) ? Json::array({object[name], given}) : given;
    }
  }
  return object;
}

/// What a request asks. `shape`: of its parameters, or of the object in its body.
Json asked_of(const App& app, const Request& request, const Route& route, const Way& way,
              const Shape& shape) {
  if (route.options.body_limit == 0)
    return kindred::understood(shape, parameters_of(request, shape), "parameters");
  Shape none;
  none.type = Shape::Type::kObject;
  kindred::understood(none, parameters_of(request, none), "parameters");
  if (way.has_raw_body) return Json::object();
  const bool is_bare = request.path.starts_with("/jobs/") && request.body.empty();
  return kindred::understood(shape, is_bare ? Json::object() : read_object(request, app), "body");
}

void add(Router& router, App& app, Route route, const Way& way, const Shape& shape) {
  const bool takes_body = route.method == "POST" || route.method == "PUT";
  const bool takes_many = way.answer == post_documents;
  route.options.writes = route.method != "GET" && !way.reads_only;
  if (takes_body) route.options.body_limit = app.options.document_limit;
  if (takes_many) route.options.body_limit = app.options.ingest_limit;
  route.handler = [&app, route, way, shape](const Request& request) {
    try {
      return way.answer(app, request, asked_of(app, request, route, way, shape));
    } catch (const kindred::Error& e) {
      if (e.code() == kindred::Errc::kCorrupt) throw busy("index-unavailable", e.what());
      throw Problem(400, "bad-request", e.what());
    } catch (const Json::out_of_range&) {
      throw Problem(400, "bad-request", "expected numbers that a double can hold");
    } catch (const Xapian::Error& e) {
      throw busy("index-unavailable", e.get_description());
    }
  };
  router.add(std::move(route));
}

}  // namespace

std::string media_type(const Request& request) {
  std::string type = request.header("content-type");
  type.erase(std::min(type.find(';'), type.size()));
  type.erase(type.find_last_not_of(" \t") + 1);
  return lower_ascii(std::move(type));
}

Json read_object(const Request& request, const App& app) {
  if (const std::string type = media_type(request); type != "application/json")
    throw Problem(415, "unsupported-media-type",
                  "expected a body of application/json, found '" + type + "'");
  if (request.body.size() > app.options.document_limit)
    throw body_too_large(app.options.document_limit);
  Json body = kindred::parse_json(kindred::repair_utf8(request.body));
  if (body.is_object()) return body;
  throw Problem(400, "bad-body", std::string("expected a JSON object, found ") + body.type_name());
}

std::vector<DescribedRoute> described_routes(const AppOptions& options) {
  std::vector<DescribedRoute> routes;
  for (const kindred::Question& question : kindred::questions()) {
    std::istringstream words(question.name);
    DescribedRoute route{{}, {}, {}, question};
    words >> route.method >> route.pattern;
    for (std::string status; words >> status;) route.statuses.push_back(status);
    if (route.pattern.empty()) continue;  // of what every route answers
    Shape value;
    value.type = Shape::Type::kList;
    value.is_optional = true;
    value.members.emplace_back().type = Shape::Type::kText;
    value.meaning =
        "Only documents with one of these values or, of numbers, ranges: 1..5, 1.., ..5";
    for (const ValueField& field : options.values) {
      value.name = "value." + field.name;
      if (kWays.at(route.method + " " + route.pattern).has_filters)
        route.question.request.members.push_back(value);
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

void add_routes(Router& router, App& app, const std::string& base_path) {
  for (const DescribedRoute& route : described_routes(app.options))
    add(router, app, {route.method, route.pattern}, kWays.at(route.method + " " + route.pattern),
        route.question.request);
  add(router, app, {"POST", "/document/tags"}, {.answer = edit_by_form, .has_raw_body = true}, {});
  add_openapi_route(router, app.options, base_path);
}

}  // namespace search_server
