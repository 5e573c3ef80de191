#include "api/answers/document_json.h"
#include "api/guarded.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/writing.h"

namespace search_server {
namespace {

Response answer_document(App& app, const Request& request) {
  ParameterReader(request).done();
  const auto schema = app.schema();
  const TimeSpent spent(request.timings.xapian);
  return app.databases().with([&](const OpenDatabase& open) {
    const std::string& id = request.captures.find("id")->second;
    const Xapian::docid docid = require_document(open.database, id, *schema);
    const IndexedDocument document = read_document(open.database.get_document(docid), *schema);
    Json json = document_json(document, open.etag(), *schema, *app.topic_names());
    json["text"] = document.text;
    json["fields"] = Json::object();
    for (const auto& [name, value] : document.fields) json["fields"][name] = value;
    return answer(json, document_etag(open.etag(), document));
  });
}

Response delete_document(App& app, const Request& request) {
  ParameterReader(request).done();
  const std::string id = request.captures.find("id")->second;
  Json result;
  write(app, request, [&](const Handle& plugin) {
    result = plugin.ask("delete", {{"ids", Json::array({written_name(id)})}});
  });
  if (result["deleted"] == 0) {
    throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
  }
  app.slow_answers().changed(id);
  Response response;
  response.status = 204;
  return response;
}

}  // namespace

void add_document_routes(Router& router, App& app) {
  router.add("GET", "/documents/{id}",
             guarded([&app](const Request& request) { return answer_document(app, request); }));
  RouteOptions writes;
  writes.writes = true;
  router.add("DELETE", "/documents/{id}",
             guarded([&app](const Request& request) { return delete_document(app, request); }),
             writes);
}

}  // namespace search_server
