#include <algorithm>
#include <filesystem>

#include "api/answers/document_json.h"
#include "api/guarded.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"

namespace search_server {
namespace {

std::string collection_name(const AppOptions& options) {
  if (!options.name.empty()) return options.name;
  const std::filesystem::path path(options.database);
  const auto last = path.has_filename() ? path.filename() : path.parent_path().filename();
  return last.string();
}

std::uint64_t revisions_behind(const Lag& lag) {
  return lag.index_revision - std::min(lag.index_revision, lag.plugin_revision);
}

Json snapshot_json(const Json& status) {
  Json json = Json::object();
  for (const char* key : {"revision", "documents", "terms", "nonzeros", "labels", "labeled",
                          "tagged", "pending", "opted_out", "rejected"})
    json[key] = status[key];
  json["tuned"] = !status["tuning"].is_null();
  json["bytes"] = status["bytes"];
  json["device_bytes"] = status["device_bytes"];
  return json;
}

Json value_names(const Schema& schema) {
  Json names = Json::array();
  for (const ValueField& field : schema.values) names.push_back(field.name);
  return names;
}

Response answer_status(App& app, const Request& request) {
  ParameterReader(request).done();
  const auto plugin = app.plugin();
  const Json status = plugin->status();
  const Lag lag = app.lag();
  Json index;
  std::string etag;
  {
    const TimeSpent spent(request.timings.xapian);
    app.databases().with([&](const OpenDatabase& open) {
      etag = open.etag();
      index = {{"uuid", open.database.get_uuid()},
               {"revision", open.revision()},
               {"documents", open.database.get_doccount()},
               {"profile", status["profile"]}};
    });
  }
  return answer({{"collection", collection_name(app.options())},
                 {"index", std::move(index)},
                 {"snapshot", snapshot_json(status)},
                 {"plugin",
                  {{"version", plugin->library().functions().version},
                   {"backend", status["backend"]},
                   {"device", status["device"]},
                   {"swaps", app.swaps()}}},
                 {"lag", {{"revisions", revisions_behind(lag)}, {"seconds", lag.seconds}}},
                 {"values", value_names(*app.schema())},
                 {"etag", etag}},
                etag);
}

Response answer_ready(App& app, const Request& request) {
  ParameterReader(request).done();
  const Lag lag = app.lag();
  const bool open = app.is_open();
  const bool behind = lag.seconds > app.options().ready_lag_seconds;
  const char* state = !open ? "starting" : behind ? "lagging" : "ready";
  Response response = answer({{"status", state},
                              {"revision", lag.plugin_revision},
                              {"index_revision", lag.index_revision},
                              {"lag_seconds", lag.seconds}},
                             "", open && !behind ? 200 : 503);
  if (response.status == 503) response.headers.emplace_back("Retry-After", "2");
  return response;
}

}  // namespace

void add_status_routes(Router& router, App& app) {
  router.add("GET", "/status",
             guarded([&app](const Request& request) { return answer_status(app, request); }));
  router.add("GET", "/healthz", [](const Request& request) {
    ParameterReader(request).done();
    return answer({{"status", "ok"}});
  });
  router.add("GET", "/readyz",
             guarded([&app](const Request& request) { return answer_ready(app, request); }));
}

}  // namespace search_server
