// Search, and where on the map its results lie.

#include "api/routes.h"

namespace search_server {

Json search_question(const App& app, const Json& asked) {
  Json question = {{"query", asked.value("q", "")}, {"values", Json::array()}};
  for (const ValueField& field : app.options.values)
    question["values"].push_back({{"name", field.name},
                                  {"slot", field.slot},
                                  {"number", field.number},
                                  {"any", asked.value("value." + field.name, Json::array())}});
  for (const kindred::Shape& key : kindred::find_question("search").request.members)
    if (asked.contains(key.name)) question[key.name] = asked[key.name];
  write_names(kindred::find_question("search").request, question);
  return question;
}

Response answer_search(App& app, const Request& request, const Json& asked) {
  return handed_on(app.ask(request, "search", search_question(app, asked)));
}

/// `hits`: for each unit how many documents that match lie there.
Response answer_map(App& app, const Request& request, const Json& asked) {
  Json json = app.ask(request, "map", {{"places", asked["places"]}});
  Json question = search_question(app, asked);
  question.update({{"limit", 0}, {"facets", 0}, {"units", true}});
  json["hits"] = Json::array();
  for (const Json& unit : app.ask(request, "search", question)["facets"]["unit"])
    json["hits"].push_back({{"unit", unit["value"]}, {"documents", unit["count"]}});
  return handed_on(std::move(json));
}

}  // namespace search_server
