// Tags, as people edit them.

#include <algorithm>

#include "api/routes.h"
#include "http/encoding.h"

namespace search_server {
namespace {

/// The labels of some members, without white space at their ends, as the plugin takes them.
Json names(const Json& asked, std::initializer_list<const char*> members) {
  Json list = Json::array();
  for (const char* member : members)
    for (const Json& label : asked.value(member, Json::array()))
      list.push_back(written_name(label_name(label.get<std::string>())));
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

bool matches(const std::string& if_match, const std::string& etag) {
  return if_match.empty() || if_match == "*" || if_match.find(etag) != if_match.npos;
}

/// Makes all edits in one commit, if the tags are those that the client knows. Returns the
/// documents as they are then.
Json edit(App& app, const Request& request, const std::vector<std::string>& ids,
          const Json& edits) {
  const auto state = app.state();
  const auto read = [&] {
    return app.read(request, [&](const OpenDatabase& open) {
      Json documents = Json::array();
      for (const std::string& id : ids)
        documents.push_back(
            document_json(require_document(open.database, id, state->schema), *state));
      return documents;
    });
  };
  const auto work = [&](const Handle& plugin) {
    for (const Json& document : read()) {
      if (!matches(request.header("if-match"), document["etag"]))
        throw Problem(412, "tags-changed", "the document has changed since; read it again");
    }
    if (!edits.empty()) plugin.ask("edit", {{"edits", edits}});
  };
  app.writer.run(work, request.deadline);
  for (const std::string& id : ids) app.lists.changed(id);
  return read();
}

/// Known labels that are so near to one that no document has that it may be a slip. None if a
/// document has it.
Json near_labels(const Json& known, const std::string& label) {
  constexpr std::size_t kMost = 3;
  const std::size_t near = std::clamp<std::size_t>(label.size() / 4, 1, 2);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Json& each : known) {
    const std::string name = read_name(each["label"].get<std::string>());
    if (name == label) return Json::array();
    const std::size_t distance = edit_distance(lower_ascii(label), lower_ascii(name));
    if (distance <= near) found.emplace_back(distance, name);
  }
  std::ranges::sort(found);
  Json labels = Json::array();
  for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) labels.push_back(found[i].second);
  return labels;
}

}  // namespace

Response edit_tags(App& app, const Request& request, const Json& asked) {
  const bool is_sure = asked["new"] == true || asked["add"].empty();
  const Json known = is_sure ? Json() : app.ask(request, "labels")["labels"];
  for (const Json& given : is_sure ? Json::array() : asked["add"]) {
    const std::string label = label_name(given.get<std::string>());
    const Json near = near_labels(known, label);
    if (near.empty()) continue;
    Response response = Problem(409, "label-unknown",
                                "no document has the label '" + label +
                                    "'; to add it nevertheless, say \"new\": true")
                            .response(request.path, request.id);
    Json problem = Json::parse(response.body);
    problem["suggestions"] = near;
    response.body = to_text(problem);
    return response;
  }
  const std::string& id = request.captures.find("id")->second;
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
  const Parameters form = request.form();
  Json asked = Json::object(), edits = Json::array();
  for (const auto& [name, value] : form)
    if (!label_name(value).empty()) asked[name].push_back(value);
  const std::string id = first_value(form, "id");
  append_edits(id, asked, edits);
  edit(app, request, {id}, edits);
  return see_other(local_target(first_value(form, "back")));
}

}  // namespace search_server
