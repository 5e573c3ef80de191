// Tags, as people edit them.

#include <kindred/analyzer/text/utf8.h>
#include <kindred/config/shown.h>

#include <algorithm>
#include <optional>

#include "api/app.h"

namespace search_server {
namespace {

/// A label as the plugin stores it, whatever form of Unicode and blanks around it were given.
std::string label_name(const std::string& given) { return kindred::trimmed_nfc(given); }

/// Appends the edit that is asked for, as the plugin takes it, if it changes something.
void append_edit(const std::string& id, const Json& asked, Json& edits) {
  Json edit = Json::object();
  for (const char* word : {"accept", "reject", "undo", "add", "take_off"})
    for (const Json& label : asked.value(word, Json::array()))
      edit[word].push_back(written_name(label.get<std::string>()));
  if (edit.empty()) return;

  edit["id"] = written_name(id);
  edits.push_back(std::move(edit));
}

/// In whose name tags change: whom the proxy names, else "" for the user of the server.
std::string user_of(const App& app, const Request& request) {
  constexpr std::size_t kMostBytes = 200;
  if (app.options.user_header.empty()) return "";
  return shortened(request.header(app.options.user_header), kMostBytes);
}

/// Makes all edits in one commit, if the tags are those that the client knows. Returns the
/// documents as they are then.
Json edit(App& app, const Request& request, const std::vector<std::string>& ids,
          const Json& edits) {
  const auto work = [&](const Handle& plugin) {
    app.documents(request, ids);  // or they are not there
    app.check_preconditions(request, ids);
    if (!edits.empty()) plugin.ask("edit", {{"edits", edits}, {"who", user_of(app, request)}});
  };
  app.writer.run(work, request.deadline);
  for (const std::string& id : ids) app.jobs.changed(id);
  return app.documents(request, ids);
}

/// Of labels to add, the first that neither a document nor the vocabulary has, by id or name,
/// though a document has one that perhaps was meant; and that one. @throws Problem 503 if nobody
/// waits for it any more: it takes long for many.
std::optional<std::pair<std::string, std::string>> first_slip(App& app, const Request& request,
                                                              const Json& added) {
  const Json labels = plain(app.ask(request, "labels", Json::object()));
  std::vector<std::string> known;
  for (const Json& each : labels["labels"]) {
    known.push_back(each["label"]);
    if (each.contains("name")) known.push_back(each["name"]);
  }
  for (const Json& given : added) {
    if (!request.is_wanted()) throw busy("too-slow", "these are too many new tags for a request");
    const std::string label = label_name(given.get<std::string>());
    if (std::ranges::find(known, label) != known.end()) continue;
    const Json in_vocabulary = {{"ids", {written_name(label)}}, {"limit", 1}};
    if (plain(app.ask(request, "vocabulary", in_vocabulary))["found"] != 0) continue;
    const std::string near = kindred::likely_of(label, known);
    if (!near.empty()) return std::pair(label, near);
  }
  return std::nullopt;
}

}  // namespace

Response edit_tags(App& app, const Request& request, const Json& asked) {
  const bool is_sure = asked["new"] == true || asked["add"].empty();
  if (const auto slip = is_sure ? std::nullopt : first_slip(app, request, asked["add"])) {
    const auto& [label, near] = *slip;
    const std::string fault = "no document has the label '" + label + "'; to add it nevertheless, ";
    Json problem =
        Problem(409, "label-unknown", fault + "say \"new\": true").json(request.path, request.id);
    problem["suggestions"] = Json::array({near});
    return {409, "application/problem+json", to_text(problem)};
  }
  const std::string& id = request.capture;
  Json edits = Json::array();
  append_edit(id, asked, edits);
  return json_answer(edit(app, request, {id}, edits)[0]);
}

Response edit_many(App& app, const Request& request, const Json& asked) {
  std::vector<std::string> ids;
  Json edits = Json::array();
  for (const Json& one : asked["edits"]) {
    ids.push_back(one["id"]);
    append_edit(ids.back(), one, edits);
  }
  return json_answer({{"documents", edit(app, request, ids, edits)}});
}

Response answer_undo(App& app, const Request& request, const Json& asked) {
  Json question = asked;
  question["who"] = user_of(app, request);
  std::string answer;
  const auto work = [&](const Handle& plugin) {
    answer = plugin.ask_text("undo", question);
  };
  app.writer.run(work, request.deadline);
  return handed_on(std::move(answer));
}

Response edit_by_form(App& app, const Request& request, const Json&) {
  const Pairs form = request.form();
  Json asked = Json::object(), edits = Json::array();
  for (const auto& [name, value] : form)
    if (!label_name(value).empty()) asked[name].push_back(value);
  const std::string id = first_value(form, "id");
  append_edit(id, asked, edits);
  edit(app, request, {id}, edits);
  return {204};
}

}  // namespace search_server
