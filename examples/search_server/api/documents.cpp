// Documents: to read, to hand in, to delete.

#include <algorithm>

#include "api/app.h"

namespace search_server {
namespace {

/// Lines of a body that are written together: nobody waits for all of another's lines.
constexpr std::size_t kTogether = 500;
constexpr std::size_t kMostLines = 100'000;  ///< of a body

/// "." and ".." cannot be segments of an address: a parameter has them.
std::string address_of(const std::string& id) {
  const bool is_dots = id == "." || id == "..";
  return is_dots ? "/documents/-?id=" + id : "/documents/" + percent_encode(id);
}

/// `check` throws if it must not be written.
Response ingest_one(App& app, const Request& request, const std::string& record,
                    const std::function<void()>& check = {}) {
  app.plugin();  // or it is too early
  const TimeSpent spent(request.plugin_seconds);
  const Json outcome = app.writer.ingest({record}, request.deadline, check).at(0);
  if (outcome["outcome"] == "refused") throw Problem(400, "record-refused", outcome["reason"]);
  const bool added = outcome["outcome"] == "added";
  Response response = json_answer(outcome, added ? 201 : 200);
  if (added) response.headers.emplace_back("Location", address_of(outcome["id"]));
  return response;
}

/// Throws if a body has more lines than are answered: the answer is kept in memory, and that to an
/// empty record is a hundred times as long as the record.
void check_lines(const std::string& body) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(body, '\n'));
  if (lines > kMostLines || (lines == kMostLines && !body.ends_with('\n')))
    throw Problem(413, "too-many-records",
                  "The body has more than " + std::to_string(kMostLines) + " lines.");
}

/// Ingests the lines of a body but those that are blank; returns what becomes of each.
std::string ingest_lines(App& app, std::string_view rest) {
  const std::size_t most = app.options.document_limit;
  std::string answer;
  std::vector<std::size_t> numbers;
  std::vector<std::string> records;
  const auto append = [&answer](std::size_t number, const Json& outcome) {
    Json line = {{"line", number}};
    line.update(outcome);
    answer += to_text(line) + "\n";
  };
  const auto ingest = [&] {
    std::vector<Json> outcomes;
    try {
      if (!records.empty()) outcomes = app.writer.ingest(records, Writer::Clock::time_point::max());
    } catch (const Problem& e) {
      outcomes.assign(records.size(), refused(e.what()));
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i) append(numbers[i], outcomes[i]);
    numbers.clear();
    records.clear();
  };
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.size() > most || records.size() == kTogether) ingest();
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (line.size() > most) {
      append(number, refused("expected a record of at most " + std::to_string(most) +
                             " bytes, found " + std::to_string(line.size())));
    } else {
      numbers.push_back(number);
      records.push_back(line);
    }
  }
  ingest();
  return answer;
}

}  // namespace

Response answer_document(App& app, const Request& request, const Json&) {
  return json_answer(app.documents(request, {request.capture})[0]);
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
  app.plugin();
  check_lines(request.body);
  return {200, type, ingest_lines(app, request.body)};
}

Response put_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.capture;
  Json record = read_object(request, app);
  const Json given = record.value("id", Json(id));
  if (given != Json(id) && !(given.is_number_integer() && to_text(given) == id)) {
    throw Problem(400, "bad-member",
                  "member 'id': expected '" + id + "' as in the path, found " +
                      to_text(given).substr(0, 300));
  }
  record["id"] = id;
  return ingest_one(app, request, to_text(record), [&] {
    app.check_preconditions(request, {id});
  });
}

Response delete_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.capture;
  Json result;
  const auto remove = [&](const Handle& plugin) {
    app.check_preconditions(request, {id});
    result = plugin.ask("delete", {{"ids", Json::array({written_name(id)})}});
  };
  app.plugin();
  app.writer.run(remove, request.deadline);
  if (result["deleted"] == 0)
    throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
  app.jobs.changed(id);
  return {204};
}

}  // namespace search_server
