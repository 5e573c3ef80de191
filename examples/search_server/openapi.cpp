#include "pages.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "plugin/ask/question.h"

namespace search_server {
namespace {

using Json = nlohmann::ordered_json;

Json json_content(Json schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }

Json schema_of(const kindred::Shape& shape) {
  return kindred::schemas_of({"", "", shape, {}}).at("request");
}

/// Takes the first word off a text.
std::string take_word(std::string_view& text) {
  const std::string word(text.substr(0, text.find(' ')));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

void add_parameter(Json& operation, const std::string& name, const std::string& place,
                   Json schema) {
  operation["parameters"].push_back({{"name", name},
                                     {"in", place},
                                     {"required", place == "path"},
                                     {"schema", std::move(schema)}});
}

/// The description of a route. `statuses`: of its good answers, with spaces between them.
Json operation_of(const Route& route, const kindred::Question& question,
                  std::string_view statuses) {
  Json operation = {{"summary", question.meaning}, {"parameters", Json::array()}};
  std::string_view path = route.pattern;
  for (std::size_t at = 0; (at = path.find('{')) != std::string_view::npos;) {
    path.remove_prefix(at + 1);
    add_parameter(operation, std::string(path.substr(0, path.find('}'))), "path",
                  {{"type", "string"}});
  }
  Json answer = question.answer.members.empty() ? Json() : json_content(schema_of(question.answer));
  if (route.method == "GET") {
    for (const kindred::Shape& parameter : question.request.members) {
      add_parameter(operation, parameter.name, "query", schema_of(parameter));
    }
  } else if (route.options.body_limit > 0) {
    Json& body = operation["requestBody"]["content"];
    body = json_content(schema_of(question.request));
    if (route.pattern == "/documents") {
      for (Json* content : {&body, &answer}) {
        const Json line = content->at("application/json").at("schema");
        (*content)["application/x-ndjson"] = {{"schema", {{"type", "string"}}},
                                              {"x-line-schema", line}};
      }
    }
  }
  while (!statuses.empty()) {
    Json& response = operation["responses"][take_word(statuses)];
    response = {{"description", "It is done."}};
    if (!answer.is_null()) response["content"] = answer;
  }
  operation["responses"]["default"] = {
      {"description", "It is not done; the problem says why."},
      {"content",
       {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/problem"}}}}}}}};
  if (route.options.writes) operation["security"] = {{{"token", Json::array()}}};
  return operation;
}

Json description(const Router& router, const std::vector<std::string>& values,
                 const std::string& base_path) {
  Json paths = Json::object();
  Json problem;
  for (const kindred::Question& question : kindred::questions()) {
    std::string_view rest = question.name;
    const std::string method = take_word(rest);
    const std::string pattern = take_word(rest);
    if (pattern.empty()) problem = schema_of(question.answer);
    if (pattern.empty()) continue;
    const auto& routes = router.routes();
    const auto route = std::find_if(routes.begin(), routes.end(), [&](const Route& each) {
      return each.method == method && each.pattern == pattern;
    });
    if (route == routes.end()) throw std::logic_error("there is no route " + question.name);
    paths[pattern][lower_ascii(method)] = operation_of(*route, question, rest);
  }
  for (const std::string& value : values) {
    add_parameter(paths["/search"]["get"], "value." + value, "query",
                  {{"type", "array"},
                   {"items", {{"type", "string"}}},
                   {"description",
                    "Only documents with one of these values or, of numbers, "
                    "ranges: 1..5, 1.., ..5"}});
  }
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Kindred search server"}, {"version", KINDRED_VERSION}}},
          {"servers", {{{"url", base_path.empty() ? "/" : base_path}}}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", {{"problem", std::move(problem)}}},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace

void add_openapi_route(Router& router, const std::vector<std::string>& values,
                       const std::string& base_path) {
  const std::string text = description(router, values, base_path).dump();
  router.add("GET", "/openapi.json", [text](const Request&) { return json_response(text); });
}

}  // namespace search_server
