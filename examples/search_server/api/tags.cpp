// Tags, as people edit them.

#include <algorithm>

#include "api/app.h"
#include "config/shown.h"
#include "plugin/store/terms.h"

namespace search_server {
namespace {

/// The labels of some members, as the plugin takes them.
Json names(const Json& asked, std::initializer_list<const char*> members) {
  Json list = Json::array();
  for (const char* member : members)
    for (const Json& label : asked.value(member, Json::array()))
      list.push_back(written_name(label.get<std::string>()));
  return list;
}

/// What people take off does not come back, whoever had given it. What they add in the same request
/// does.
void append_edits(const std::string& id, const Json& asked, Json& edits) {
  const Json removed = names(asked, {"remove"});
  for (const Json& edit : {Json{{"remove_labels", removed}, {"remove", removed}},
                           Json{{"add_labels", names(asked, {"accept", "add"})}},
                           Json{{"allow", names(asked, {"allow"})}}}) {
    if (edit.front().empty()) continue;
    edits.push_back(edit);
    edits.back()["id"] = written_name(id);
  }
}

/// Makes all edits in one commit, if the tags are those that the client knows. Returns the
/// documents as they are then.
Json edit(App& app, const Request& request, const std::vector<std::string>& ids,
          const Json& edits) {
  const auto work = [&](const Handle& plugin) {
    const std::string known = request.header("if-match");
    for (const Json& document : app.documents(request, ids)) {
      if (!known.empty() && !lists_tag(known, document["etag"]))
        throw Problem(412, "tags-changed", "the document has changed since; read it again");
    }
    if (!edits.empty()) plugin.ask("edit", {{"edits", edits}});
  };
  app.writer.run(work, request.deadline);
  for (const std::string& id : ids) app.jobs.changed(id);
  return app.documents(request, ids);
}

/// The known label that perhaps was meant by one that no document has; "" if there is none.
std::string near_label(const Json& known, const std::string& label) {
  std::vector<std::string> names;
  for (const Json& each : known) names.push_back(each["label"]);
  const bool is_known = std::ranges::find(names, label) != names.end();
  return is_known ? "" : kindred::likely_of(label, names);
}

}  // namespace

Response edit_tags(App& app, const Request& request, const Json& asked) {
  const bool is_sure = asked["new"] == true || asked["add"].empty();
  const Json known = is_sure ? Json() : plain(app.ask(request, "labels", Json::object()))["labels"];
  for (const Json& given : is_sure ? Json::array() : asked["add"]) {
    const std::string label = kindred::label_name(given.get<std::string>());
    const std::string near = near_label(known, label);
    if (near.empty()) continue;
    const std::string fault = "no document has the label '" + label + "'; to add it nevertheless, ";
    Json problem =
        Problem(409, "label-unknown", fault + "say \"new\": true").json(request.path, request.id);
    problem["suggestions"] = Json::array({near});
    return {409, "application/problem+json", to_text(problem)};
  }
  const std::string& id = request.capture;
  Json edits = Json::array();
  append_edits(id, asked, edits);
  return json_answer(edit(app, request, {id}, edits)[0]);
}

Response edit_many(App& app, const Request& request, const Json& asked) {
  std::vector<std::string> ids;
  Json edits = Json::array();
  for (const Json& one : asked["edits"]) {
    ids.push_back(one["id"]);
    append_edits(ids.back(), one, edits);
  }
  return json_answer({{"documents", edit(app, request, ids, edits)}});
}

Response edit_by_form(App& app, const Request& request, const Json&) {
  const Pairs form = request.form();
  Json asked = Json::object(), edits = Json::array();
  for (const auto& [name, value] : form)
    if (!kindred::label_name(value).empty()) asked[name].push_back(value);
  const std::string id = first_value(form, "id");
  append_edits(id, asked, edits);
  edit(app, request, {id}, edits);
  return {204};
}

}  // namespace search_server
