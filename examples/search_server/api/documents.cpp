// Documents: to read, to hand in, to delete.

#include <algorithm>

#include "api/routes.h"
#include "http/encoding.h"

namespace search_server {
namespace {

/// Lines of a body that are written together: nobody waits for all of another's lines.
constexpr std::size_t kTogether = 500;

Json outcome_json(const Outcome& outcome) {
  const char* const kinds[] = {"refused", "added", "replaced"};
  Json json = {{"id", outcome.id.empty() ? Json() : Json(outcome.id)},
               {"outcome", kinds[outcome.kind % KINDRED_REFUSED]},
               {"predicted", Json::array()},
               {"pending", outcome.pending},
               {"reason", outcome.reason}};
  for (const auto& [label, confidence] : outcome.predicted)
    json["predicted"].push_back({{"label", label}, {"confidence", confidence}});
  return json;
}

Response ingest_one(App& app, const Request& request, const std::string& record) {
  app.state();  // or it is too early
  const TimeSpent spent(request.timings.plugin);
  const Outcome outcome = app.writer.ingest({record}, request.deadline).at(0);
  if (outcome.kind == KINDRED_REFUSED) throw Problem(400, "record-refused", outcome.reason);
  const bool added = outcome.kind == KINDRED_ADDED;
  Response response = json_answer(outcome_json(outcome), added ? 201 : 200);
  if (added) response.headers.emplace_back("Location", "/documents/" + percent_encode(outcome.id));
  return response;
}

/// The lines of a body, without those that are blank, and what becomes of them.
class Lines {
 public:
  Lines(App& app, std::string_view rest) : app_(app) {
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::string line(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      if (line.size() <= app.options.document_limit) {
        numbers_.push_back(number);
        records_.push_back(line);
        if (records_.size() == kTogether) ingest();
      } else {
        ingest();
        Outcome outcome;
        outcome.reason = "expected a record of at most " +
                         std::to_string(app.options.document_limit) + " bytes, found " +
                         std::to_string(line.size());
        append(number, outcome);
      }
    }
    ingest();
  }

  std::string answer;

 private:
  void append(std::size_t number, const Outcome& outcome) {
    Json json = {{"line", number}};
    json.update(outcome_json(outcome));
    answer += to_text(json) + "\n";
  }

  void ingest() {
    std::vector<Outcome> outcomes;
    try {
      if (!records_.empty()) outcomes = app_.writer.ingest(records_, Writer::Deadline::max());
    } catch (const Problem& e) {
      Outcome lost;
      lost.reason = e.detail();
      outcomes.assign(records_.size(), lost);
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i) append(numbers_[i], outcomes[i]);
    numbers_.clear();
    records_.clear();
  }

  App& app_;
  std::vector<std::size_t> numbers_;
  std::vector<std::string> records_;
};

}  // namespace

Response answer_document(App& app, const Request& request, const Json&) {
  const auto state = app.state();
  const std::string& id = request.captures.find("id")->second;
  return app.read(request, [&](const OpenDatabase& open) {
    const IndexedDocument read = require_document(open.database, id, state->schema);
    Json json = document_json(read, *state);
    json["text"] = read.text;
    json["fields"] = read.fields;
    return json_answer(json);
  });
}

Response post_documents(App& app, const Request& request, const Json&) {
  const std::string type = media_type(request);
  if (type == "application/json") {
    if (request.body.size() > app.options.document_limit)
      throw body_too_large(app.options.document_limit);
    return ingest_one(app, request, request.body);
  }
  if (type != "application/x-ndjson")
    throw Problem(
        415, "unsupported-media-type",
        "expected a body of application/json or application/x-ndjson, found '" + type + "'");
  app.state();
  Response response;
  response.type = type;
  response.body = Lines(app, request.body).answer;
  return response;
}

Response put_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.captures.find("id")->second;
  Json record = read_object(request, app);
  const Json given = record.value("id", Json(id));
  if (given != Json(id) && !(given.is_number_integer() && to_text(given) == id)) {
    throw Problem(400, "bad-member",
                  "member 'id': expected '" + id + "' as in the path, found " +
                      to_text(given).substr(0, 300));
  }
  record["id"] = id;
  return ingest_one(app, request, to_text(record));
}

Response delete_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.captures.find("id")->second;
  Json result;
  const auto remove = [&](const Handle& plugin) {
    result = plugin.ask("delete", {{"ids", Json::array({written_name(id)})}});
  };
  app.state();
  app.writer.run(remove, request.deadline);
  if (result["deleted"] == 0)
    throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
  app.lists.changed(id);
  Response response;
  response.status = 204;
  return response;
}

}  // namespace search_server
