#include "api/routes.h"

#include <algorithm>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/ask/question.h"

namespace search_server {
namespace {

using kindred::Shape;

const std::map<std::string_view, Answer*> kAnswers = {
    {"GET /search", answer_search},
    {"GET /topics", answer_topics},
    {"GET /map", answer_map},
    {"POST /documents", post_documents},
    {"GET /documents/{id}", answer_document},
    {"PUT /documents/{id}", put_document},
    {"DELETE /documents/{id}", delete_document},
    {"GET /documents/{id}/related", answer_related},
    {"POST /documents/{id}/tags", edit_tags},
    {"POST /documents/tags", edit_many},
    {"POST /related", answer_related},
    {"POST /classify", answer_classify},
    {"GET /labels", answer_labels},
    {"GET /labels/{label}/candidates", answer_candidates},
    {"GET /suspects", answer_suspects},
    {"GET /duplicates", answer_duplicates},
    {"GET /status", answer_status},
    {"GET /healthz", answer_health},
    {"GET /readyz", answer_ready},
    {"POST /jobs/tune", start_tune},
    {"POST /jobs/train", start_train},
    {"POST /jobs/tag", start_tag},
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

/// Filters by the values of the settings, which the table does not know.
Shape with_values(Shape shape, const AppOptions& options) {
  Shape value;
  value.type = Shape::Type::kList;
  value.is_optional = true;
  value.members.emplace_back().type = Shape::Type::kText;
  for (const ValueField& field : options.values) {
    value.name = "value." + field.name;
    shape.members.push_back(value);
  }
  return shape;
}

/// What a request asks. `shape`: of its parameters, or of the object in its body.
Json asked_of(const App& app, const Request& request, Answer* answer, const Shape& shape) {
  if (request.method == "GET" || request.method == "DELETE")
    return kindred::understood(shape, parameters_of(request, shape), "parameters");
  Shape none;
  none.type = Shape::Type::kObject;
  kindred::understood(none, parameters_of(request, none), "parameters");
  if (answer == post_documents || answer == put_document || answer == edit_by_form)
    return Json::object();
  const bool is_bare = request.path.starts_with("/jobs/") && request.body.empty();
  return kindred::understood(shape, is_bare ? Json::object() : read_object(request, app), "body");
}

void add(Router& router, App& app, const std::string& method, const std::string& pattern,
         Answer* answer, const Shape& shape) {
  RouteOptions options;
  options.writes = method != "GET" && answer != answer_related && answer != answer_classify;
  if (method == "POST" || method == "PUT") options.body_limit = app.options.document_limit;
  if (answer == post_documents) options.body_limit = app.options.ingest_limit;
  const auto handler = [&app, answer, shape](const Request& request) {
    try {
      return answer(app, request, asked_of(app, request, answer, shape));
    } catch (const kindred::Error& e) {
      if (e.code() == kindred::Errc::kCorrupt) throw busy("index-unavailable", e.what());
      throw Problem(400, "bad-request", e.what());
    } catch (const Json::out_of_range&) {
      throw Problem(400, "bad-request", "expected numbers that a double can hold");
    } catch (const Xapian::Error& e) {
      throw busy("index-unavailable", e.get_description());
    }
  };
  router.add(method, pattern, handler, options);
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

void add_routes(Router& router, App& app) {
  for (const kindred::Question& question : kindred::questions()) {
    const std::size_t space = question.name.find(' ');
    const std::string route = question.name.substr(0, question.name.find(' ', space + 1));
    const auto answer = kAnswers.find(route);
    if (answer == kAnswers.end()) continue;  // of another part of the server
    const bool has_filters = answer->second == answer_search || answer->second == answer_map;
    add(router, app, route.substr(0, space), route.substr(space + 1), answer->second,
        has_filters ? with_values(question.request, app.options) : question.request);
  }
  add(router, app, "POST", "/document/tags", edit_by_form, {});
}

}  // namespace search_server
