#pragma once

#include <string>
#include <vector>

#include "api/app.h"
#include "http/router.h"

namespace search_server {

/// A route of routes.txt.
struct DescribedRoute {
  std::string method, pattern;
  std::vector<std::string> statuses;  ///< of its good answers
  std::string asks;                   ///< the question of the library that it hands on; "": none
  kindred::Question question;
};
std::vector<DescribedRoute> described_routes(const AppOptions& options);

/// Adds all of them, POST /document/tags for forms, and GET /openapi.json. `app` outlives the
/// router. `base_path`: as http.base_path.
void add_routes(Router& router, App& app, const std::string& base_path);

/// GET /openapi.json: OpenAPI 3.1, made of routes.txt. All its routes have been added.
void add_openapi_route(Router& router, const AppOptions& options, const std::string& base_path);

/// Adds the page at each of its addresses, and its files as /web/NAME. They are built into the
/// program. Their addresses are relative, so a proxy may put a path before all.
void add_pages(Router& router);

/// What answers a request that asks `asked`: its parameters, or the members of its body, as
/// routes.txt has them.
using Answer = Response(App& app, const Request& request, const Json& asked);

Answer answer_search, answer_map;
Answer answer_document, put_document, delete_document, post_documents;
Answer edit_tags, edit_many, edit_by_form;
Answer answer_candidates, answer_suspects, answer_duplicates;
Answer answer_status, answer_health, answer_ready;
Answer start_tune, start_train, start_tag, answer_jobs, answer_job, cancel_job;

/// The JSON object of a body. @throws Problem 400 if it is none, 413, 415; kindred::Error.
Json read_object(const Request& request, const App& app);

/// The media type of the body, without parameters, in lower case.
std::string media_type(const Request& request);

/// JSON; its member "etag" is the ETag of the answer, too.
Response json_answer(const Json& json, int status = 200);

/// JSON whose ETag is a checksum of all but its seconds.
Response checked_answer(Json answer);

/// An answer of the plugin as it is, as checked_answer(); names of the index are plain.
Response handed_on(Json answer);

/// An answer of the plugin without what goes with every answer; names of the index are plain.
Json plain(Json answer);

/// A filter for documents by their ids; those with a quote in it are left out.
std::string filter_of(const Json& documents);

/// What a request of GET /search or GET /map asks of the plugin; without its members, all
/// documents.
Json search_question(const App& app, const Json& asked);

/// Writes the names of the index in a request as the plugin takes them. What does not fit the shape
/// is left as it is.
void write_names(const kindred::Shape& shape, Json& json);

}  // namespace search_server
