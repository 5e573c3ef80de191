// GET /openapi.json, made of the table of routes.

#include <kindred/analyzer/text/utf8.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "api/app.h"

namespace search_server {
namespace {

Json json_content(Json schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }

Json schema_of(const kindred::Shape& shape) {
  return kindred::schemas_of({"", "", shape, {}}).at("request");
}

void add_parameter(Json& operation, const std::string& name, const std::string& place, Json schema,
                   const std::string& meaning = "") {
  Json parameter = {
      {"name", name}, {"in", place}, {"required", place == "path"}, {"schema", std::move(schema)}};
  if (!meaning.empty()) parameter["description"] = meaning;
  operation["parameters"].push_back(std::move(parameter));
}

/// Of a question of routes.txt that is no route.
const kindred::Shape& answer_named(const char* name) {
  return std::ranges::find(questions_and_routes(), name, &kindred::Question::name)->answer;
}

/// What else a request may be answered with.
struct OtherStatus {
  const char* status;
  const char* meaning;
};

constexpr OtherStatus kOfAll[] = {
    {"400", "The request is not understood, or a value in it is not what was expected."},
    {"403", "This client may not do that: it is a page of another site, or may only read."},
    {"414", "There are too many parameters."},
    {"421", "The server is not known by this name."},
    {"500", "A fault of the server, which its log tells more of."},
    {"503",
     "The index is being loaded, or others have all connections or turns. Retry-After says "
     "when to ask again."}};
constexpr OtherStatus kOfPaths[] = {{"404", "There is no such document, label or job."}};
constexpr OtherStatus kOfBodies[] = {
    {"404", "There is no such document."},
    {"413", "The body is larger than the server takes."},
    {"415", "The body has another type or encoding than those that are listed."}};
constexpr OtherStatus kOfWriting[] = {
    {"401", "The token is needed, or is another one."},
    {"409", "A job of this kind runs already, or a tag is unknown but near to known ones."},
    {"412", "If-Match or If-None-Match does not hold."}};

/// The problems that a route may answer with, each a reference to what all routes share.
void add_problems(Json& responses, std::span<const OtherStatus> problems) {
  for (const auto& [status, meaning] : problems)
    if (!responses.contains(status))
      responses[status] = {{"$ref", std::string("#/components/responses/") + status}};
}

/// These answers, as routes refer to them.
Json shared_responses() {
  const Json content = {
      {"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}};
  Json responses = Json::object();
  const std::span<const OtherStatus> all[] = {kOfAll, kOfPaths, kOfBodies, kOfWriting};
  for (const std::span<const OtherStatus> problems : all)
    for (const auto& [status, meaning] : problems)
      if (!responses.contains(status))
        responses[status] = {{"description", meaning}, {"content", content}};
  return responses;
}

Json operation_of(const DescribedRoute& described, const RouteOptions& options) {
  const kindred::Question& question = described.question;
  Json operation = {{"operationId", described.operation},
                    {"summary", question.meaning},
                    {"parameters", Json::array()},
                    {"security", Json::array()}};
  std::string_view path = described.pattern;
  for (std::size_t at = 0; (at = path.find('{')) != std::string_view::npos;) {
    path.remove_prefix(at + 1);
    const std::string name(path.substr(0, path.find('}')));
    add_parameter(
        operation, name, "path", {{"type", "string"}},
        "If it is \".\" or \"..\", which cannot be in a path: \"-\", and the parameter \"" + name +
            "\" of the query has it.");
  }
  Json answer;
  if (!described.asks.empty()) {
    answer = json_content(kindred::schemas_of(question).at("answer"));
  } else if (!question.answer.members.empty()) {
    answer = json_content(schema_of(question.answer));
  }
  const bool takes_vocabulary = described.pattern == "/vocabulary" && described.method == "POST";
  const bool takes_records = described.pattern == "/documents";
  Json& body = operation["requestBody"]["content"];
  if (takes_vocabulary) {
    for (const char* type :
         {"text/csv", "text/tab-separated-values", "text/turtle", "application/n-triples",
          "application/rdf+xml", "application/x-ndjson"})
      body[type] = {{"schema", {{"type", "string"}}}};
  } else if (takes_records) {
    for (const char* type : {"text/csv", "text/tab-separated-values"})
      body[type] = {{"schema", {{"type", "string"}}}};
    const Json record = schema_of(answer_named("record"));
    body["application/json"]["schema"] = record;
    body["application/x-ndjson"] = {{"schema", {{"type", "string"}}}, {"x-line-schema", record}};
    const Json outcome = answer.at("application/json").at("schema");
    answer["application/x-ndjson"] = {{"schema", {{"type", "string"}}}, {"x-line-schema", outcome}};
  } else if (options.body_limit > 0) {
    body = json_content(schema_of(question.request));
  }
  if (body.is_null()) operation.erase("requestBody");
  if (options.body_limit == 0 || takes_vocabulary || takes_records)
    for (const kindred::Shape& parameter : question.request.members)
      add_parameter(operation, parameter.name, "query", schema_of(parameter));
  for (const std::string& status : described.statuses) {
    Json& response = operation["responses"][status];
    response = {{"description", "It is done."}};
    if (!answer.is_null()) response["content"] = answer;
  }
  Json& responses = operation["responses"];
  add_problems(responses, kOfAll);
  const bool is_of_something = described.pattern.find('{') != std::string::npos;
  if (is_of_something) add_problems(responses, kOfPaths);
  if (options.body_limit > 0) add_problems(responses, kOfBodies);
  if (options.writes) {
    add_problems(responses, kOfWriting);
    operation["security"] = {{{"token", Json::array()}}};
  }
  return operation;
}

}  // namespace

void add_openapi_route(Router& router, const AppOptions& options, const std::string& base_path) {
  Json paths = Json::object();
  for (const DescribedRoute& route : described_routes(options))
    paths[route.pattern][kindred::lower_ascii(route.method)] =
        operation_of(route, router.match(route.method, route.pattern).route->options);
  const Json problem = schema_of(answer_named("problem"));
  const Json license = {{"name", "GPL-2.0-or-later"}, {"identifier", "GPL-2.0-or-later"}};
  const Json description = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Kindred search server"}, {"version", KINDRED_VERSION}, {"license", license}}},
      {"servers", {{{"url", base_path.empty() ? "/" : base_path}}}},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", {{"problem", problem}}},
        {"responses", shared_responses()},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  router.add("GET", "/openapi.json", [text = description.dump()](const Request&) {
    return json_response(text);
  });
}

}  // namespace search_server
