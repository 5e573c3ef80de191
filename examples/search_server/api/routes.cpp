#include "api/app.h"

#include <kindred/analyzer/text/utf8.h>
#include <kindred/config/error.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "embedded/routes.h"

namespace search_server {
namespace {

using kindred::Shape;

/// How a route answers.
struct Way {
  Answer* answer = nullptr;     ///< null: it hands a question on
  bool reads_only = false;      ///< though it is no GET
  bool has_raw_body = false;    ///< the answer reads it
  bool has_parameters = false;  ///< beside a body
};

const std::map<std::string, Way> kWays = {
    {"GET /search", {answer_search}},
    {"GET /map", {answer_map}},
    {"POST /documents", {.answer = post_documents, .has_raw_body = true, .has_parameters = true}},
    {"GET /documents/{id}", {answer_document}},
    {"PUT /documents/{id}", {.answer = put_document, .has_raw_body = true}},
    {"DELETE /documents/{id}", {delete_document}},
    {"POST /documents/{id}/tags", {edit_tags}},
    {"POST /documents/tags", {edit_many}},
    {"GET /log", {answer_log}},
    {"POST /undo", {answer_undo}},
    {"POST /related", {.reads_only = true}},
    {"POST /classify", {.reads_only = true}},
    {"GET /labels/{label}/candidates", {answer_candidates}},
    {"POST /vocabulary", {.answer = load_vocabulary, .has_raw_body = true, .has_parameters = true}},
    {"DELETE /vocabulary", {remove_vocabulary}},
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

Way way_of(const DescribedRoute& route) {
  const std::string name = route.method + " " + route.pattern;
  return route.asks.empty() || kWays.contains(name) ? kWays.at(name) : Way();
}

/// Writes the names of the index in a request as the plugin takes them. What does not fit the shape
/// is left as it is.
void write_names(const Shape& shape, Json& json) {
  if (shape.type == Shape::Type::kName && json.is_string())
    json = written_name(json.get<std::string>());
  if (shape.type == Shape::Type::kList && json.is_array())
    for (Json& element : json) write_names(shape.members.front(), element);
  if (shape.type == Shape::Type::kObject && json.is_object())
    for (const Shape& member : shape.members)
      if (json.contains(member.name)) write_names(member, json[member.name]);
}

/// Asks the plugin what a route hands on. The id that its path has is an example, and so are keys
/// that the question does not have itself.
Response hand_on(App& app, const Request& request, const std::string& name, const Json& asked) {
  Json question = Json::object();
  const Shape& shape = kindred::find_question(name).request;
  for (const auto& [key, value] : asked.items()) {
    const bool is_own = std::ranges::find(shape.members, key, &Shape::name) != shape.members.end();
    if (is_own)
      question[key] = value;
    else
      question["example"][key] = value;
  }
  if (!request.capture.empty()) question["like"] = {{{"id", written_name(request.capture)}}};
  return handed_on(app.ask(request, name, question));
}

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
  if (route.options.body_limit == 0 || way.has_parameters)
    return kindred::understood(shape, parameters_of(request, shape), "parameters");
  Shape none;
  none.type = Shape::Type::kObject;
  kindred::understood(none, parameters_of(request, none), "parameters");
  if (way.has_raw_body) return Json::object();
  const bool is_bare = request.path.starts_with("/jobs/") && request.body.empty();
  Json body = is_bare ? Json::object() : read_object(request, app);
  if (way.answer == nullptr) write_names(shape, body);
  return kindred::understood(shape, body, "body");
}

/// Fills what routes.txt leaves to the question that a route hands on.
void take_keys(const kindred::Question& asked, kindred::Question& route) {
  for (Shape& key : route.request.members) {
    const auto known = std::ranges::find(asked.request.members, key.name, &Shape::name);
    if (key.type == Shape::Type::kAny && known != asked.request.members.end()) key = *known;
  }
  if (route.request.members.empty()) route.request = asked.request;
  std::ranges::copy(asked.answer.members, std::back_inserter(route.answer.members));
}

void add(Router& router, App& app, const DescribedRoute& described, const Way& way) {
  Route route{described.method, described.pattern};
  const bool takes_body = route.method == "POST" || route.method == "PUT";
  const bool takes_many = way.answer == post_documents || way.answer == load_vocabulary;
  route.options.writes = route.method != "GET" && !way.reads_only;
  if (takes_body) route.options.body_limit = app.options.document_limit;
  if (takes_many) route.options.body_limit = app.options.ingest_limit;
  route.options.is_vital = way.answer == answer_health || way.answer == answer_ready;
  route.handler = [&app, route, way, shape = described.question.request,
                   asks = described.asks](const Request& request) {
    try {
      std::optional<LargeQuestions::Turn> turn;
      if (!route.options.writes) turn.emplace(app.large_questions, request);
      const Json asked = asked_of(app, request, route, way, shape);
      return way.answer ? way.answer(app, request, asked) : hand_on(app, request, asks, asked);
    } catch (const kindred::Error& e) {
      throw Problem(400, "bad-request", e.what());
    } catch (const Json::out_of_range&) {
      throw Problem(400, "bad-request", "expected numbers that a double can hold");
    }
  };
  router.add(std::move(route));
}

/// What the plugin writes as names of the index.
constexpr std::string_view kNames[] = {"id",    "label",   "labels", "predicted",   "term",
                                       "value", "broader", "above",  "use_instead", "ids"};

void make_plain(Json& json, bool is_name) {
  if (json.is_object()) {
    for (auto&& [name, member] : json.items())
      make_plain(member, std::ranges::find(kNames, name) != std::end(kNames));
  } else if (json.is_array()) {
    for (Json& element : json) make_plain(element, is_name);
  } else if (json.is_string() && is_name) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.find('\\') != text.npos) json = read_name(text);
  }
}

}  // namespace

Response json_answer(const Json& json, int status) {
  Response response = json_response(to_text(json), status);

  // The vocabulary may give other names while the document stays, so what has names is not cached.
  if (json.contains("etag") && !json.contains("names"))
    response.headers.emplace_back("ETag", json["etag"]);
  return response;
}

Response checked_answer(std::string json) {
  const std::string tag =
      kindred::checksum_text(std::string_view(json).substr(0, json.rfind(",\"seconds\":")));
  Response response = json_response(std::move(json));
  response.headers.emplace_back("ETag", '"' + tag + '"');
  return response;
}

Response handed_on(std::string answer) {
  if (answer.find("\\\\") != answer.npos) {  // a name with a backslash, or what is no UTF-8
    Json json = Json::parse(answer);
    make_plain(json, false);
    answer = to_text(json);
  }
  return checked_answer(std::move(answer));
}

Json plain(const std::string& text) {
  Json answer = Json::parse(text);
  make_plain(answer, false);
  for (const char* key : {"question", "request", "revision", "shards", "seconds"})
    answer.erase(key);
  return answer;
}

std::string filter_of(const Json& documents) {
  std::string filter;
  for (const Json& document : documents) {
    const auto id = document["id"].get<std::string>();
    if (id.find('"') == id.npos) filter += "id:\"" + id + "\" ";
  }
  return filter;
}

std::string media_type(const Request& request) {
  std::string type = request.header("content-type");
  type.erase(std::min(type.find(';'), type.size()));
  type.erase(type.find_last_not_of(" \t") + 1);
  return kindred::lower_ascii(std::move(type));
}

Json read_object(const Request& request, const App& app) {
  if (const std::string type = media_type(request); type != "application/json")
    throw Problem(415, "unsupported-media-type",
                  "expected a body of application/json, found '" + type + "'");
  if (request.body.size() > app.options.document_limit)
    throw body_too_large(app.options.document_limit);
  Json body = kindred::parse_json(kindred::repair_surrogates(kindred::repair_utf8(request.body)));
  if (body.is_object()) return body;
  throw Problem(400, "bad-body", std::string("expected a JSON object, found ") + body.type_name());
}

Json search_question(const App& app, const Json& asked) {
  const Shape& shape = kindred::find_question("search").request;
  Json question = {{"query", asked.value("q", "")}};
  for (const Shape& key : shape.members)
    if (asked.contains(key.name)) question[key.name] = asked[key.name];
  question["values"] = app.options.values;
  for (Json& field : question["values"])
    field["any"] = asked.value("value." + field["name"].get<std::string>(), Json::array());
  write_names(shape, question);
  return question;
}

Response answer_search(App& app, const Request& request, const Json& asked) {
  return handed_on(app.ask(request, "search", search_question(app, asked)));
}

Response answer_log(App& app, const Request& request, const Json& asked) {
  Json question = asked;
  write_names(kindred::find_question("log").request, question);
  return handed_on(app.ask(request, "log", question));
}

/// `hits`: for each unit how many documents that match lie there.
Response answer_map(App& app, const Request& request, const Json& asked) {
  std::string text = app.ask(request, "map", {{"places", asked["places"]}});
  Json question = search_question(app, asked), hits = Json::array();
  question.update({{"limit", 0}, {"facets", 0}, {"units", true}});
  const Json found = plain(app.ask(request, "search", question));
  for (const Json& unit : found["facets"]["unit"])
    hits.push_back({{"unit", unit["value"]}, {"documents", unit["count"]}});
  text.insert(text.rfind(",\"seconds\":"), ",\"hits\":" + to_text(hits));
  return handed_on(std::move(text));
}

const std::vector<kindred::Question>& questions_and_routes() {
  static const std::vector<kindred::Question> all = kindred::read_questions(
      std::string(kindred::question_table()).append("\n").append(kRoutes[0].second));
  return all;
}

std::vector<DescribedRoute> described_routes(const AppOptions& options) {
  std::vector<DescribedRoute> routes;
  for (const kindred::Question& question : questions_and_routes()) {
    std::istringstream words(question.name);
    DescribedRoute route{{}, {}, {}, {}, {}, question};
    words >> route.method >> route.pattern;
    if (route.pattern.empty()) continue;  // a question of the library, or what every route answers
    for (std::string status; words >> status && status != "as";) route.statuses.push_back(status);
    words >> route.operation;
    if (std::string by; words >> by >> route.asks)
      take_keys(kindred::find_question(route.asks), route.question);
    std::vector<Shape>& keys = route.question.request.members;
    if (const auto value = std::ranges::find(keys, "value", &Shape::name); value != keys.end()) {
      Shape key = *value;
      keys.erase(value);
      for (const Json& field : options.values) {
        key.name = "value." + field["name"].get<std::string>();
        keys.push_back(key);
      }
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

void add_routes(Router& router, App& app, const std::string& base_path) {
  for (const DescribedRoute& route : described_routes(app.options))
    add(router, app, route, way_of(route));
  add(router, app, {"POST", "/document/tags", {}, {}, {}, {}},
      {.answer = edit_by_form, .has_raw_body = true});
  add_openapi_route(router, app.options, base_path);
}

}  // namespace search_server
