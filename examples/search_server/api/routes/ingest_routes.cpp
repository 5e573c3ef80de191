#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "api/guarded.h"
#include "api/json.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/writing.h"
#include "http/encoding.h"

namespace search_server {
namespace {

Json outcome_json(const IngestOutcome& outcome) {
  using Kind = IngestOutcome::Kind;
  Json json;
  json["id"] = outcome.id.empty() ? Json() : Json(outcome.id);
  json["outcome"] = outcome.kind == Kind::kAdded      ? "added"
                    : outcome.kind == Kind::kReplaced ? "replaced"
                                                      : "refused";
  json["predicted"] = Json::array();
  for (const auto& [label, confidence] : outcome.predicted) {
    json["predicted"].push_back({{"label", label}, {"confidence", confidence}});
  }
  json["pending"] = outcome.pending;
  json["reason"] = outcome.reason;
  return json;
}

Response written(const IngestOutcome& outcome) {
  const bool added = outcome.kind == IngestOutcome::Kind::kAdded;
  Response response = answer(outcome_json(outcome), "", added ? 201 : 200);
  if (added) response.headers.emplace_back("Location", "/documents/" + percent_encode(outcome.id));
  return response;
}

Json line_json(std::size_t line, WriteTask* task) {
  IngestOutcome outcome;
  try {
    if (task == nullptr) throw busy("busy", "too much waits to be written");
    outcome = task->take();
  } catch (const Problem& e) {
    outcome.reason = e.detail();
  } catch (const PluginError& e) {
    outcome.reason = e.what();
  }
  Json json = {{"line", line}};
  json.update(outcome_json(outcome));
  return json;
}

/// A line of the answer for each record of the body, when all of them are on disk or refused.
Response add_lines(App& app, const Request& request) {
  app.plugin();
  std::vector<std::pair<std::size_t, std::shared_ptr<WriteTask>>> tasks;
  std::istringstream lines(request.body);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    tasks.emplace_back(
        number, app.writer().ingest(std::exchange(line, {}), Writer::kBulk, request.deadline));
  }
  Response response{200, "application/x-ndjson", "", {}};
  for (const auto& [line, task] : tasks) {
    response.body += to_text(line_json(line, task.get())) + "\n";
  }
  return response;
}

Response add_documents(App& app, const Request& request) {
  ParameterReader(request).done();
  const std::string type = media_type(request);
  if (type == "application/x-ndjson") return add_lines(app, request);
  if (type == "application/json") {
    if (request.body.size() > app.options().document_limit) {
      throw body_too_large(app.options().document_limit);
    }
    return written(ingest(app, request, request.body));
  }
  throw Problem(
      415, "unsupported-media-type",
      "expected a body of application/json or application/x-ndjson, found '" + type + "'");
}

Response put_document(App& app, const Request& request) {
  ParameterReader(request).done();
  const std::string& id = request.captures.find("id")->second;
  Json record = read_object(request, app.options().document_limit);
  if (const auto given = record.find("id"); given != record.end()) {
    const bool same = *given == Json(id) || (given->is_number_integer() && to_text(*given) == id);
    if (!same) {
      throw Problem(400, "bad-member",
                    "member 'id': expected '" + id + "' as in the path, found " +
                        to_text(*given).substr(0, 300));
    }
  }
  record["id"] = id;
  return written(ingest(app, request, to_text(record)));
}

}  // namespace

void add_ingest_routes(Router& router, App& app) {
  RouteOptions many;
  many.writes = true;
  many.body_limit = app.options().ingest_limit;
  router.add("POST", "/documents",
             guarded([&app](const Request& request) { return add_documents(app, request); }), many);
  RouteOptions one;
  one.writes = true;
  one.body_limit = app.options().document_limit;
  router.add("PUT", "/documents/{id}",
             guarded([&app](const Request& request) { return put_document(app, request); }), one);
}

}  // namespace search_server
