// How the server and its index are, and work that takes long.

#include <algorithm>

#include "api/app.h"

namespace search_server {
namespace {

/// Seconds that a ready server may be behind the index.
constexpr double kReadyLag = 30;

/// A number of the status of an index, which is a gauge, too.
struct SnapshotCount {
  const char* key;
  const char* help;
};
constexpr SnapshotCount kSnapshotCounts[] = {{"documents", "Documents."},
                                             {"terms", "Terms of the dictionary."},
                                             {"nonzeros", "Entries of the mirror."},
                                             {"labels", "Labels that people gave."},
                                             {"labeled", "Documents with labels of people."},
                                             {"tagged", "Documents with predicted tags."},
                                             {"pending", "Documents that are to be tagged later."},
                                             {"opted_out", "Documents that get no predicted tags."},
                                             {"rejected", "Documents with rejected tags."},
                                             {"bytes", "Main memory of the mirror, in bytes."},
                                             {"device_bytes", "Memory of devices, in bytes."},
                                             {"vocabulary_terms", "Terms of the vocabulary."}};

/// 202 with the job and its Location.
Response started(const Json& job) {
  Response response = json_answer(job, 202);
  response.headers.emplace_back("Location", "/jobs/" + job["id"].get<std::string>());
  return response;
}

/// Asks for a run that writes all documents. Between its transactions, others write.
Json ask_writing(App& app, const std::string& question, const Json& asked, const Step& step) {
  Json answer;
  const Step next = [&](const std::string& doing, std::uint64_t done, std::uint64_t all) {
    app.writer.let_others_write();
    return step(doing, done, all);
  };
  const auto ask = [&](const Handle& plugin) {
    answer = plugin.ask(question, asked, next);
  };
  app.writer.run(ask, Writer::Clock::time_point::max());
  return answer;
}

}  // namespace

Jobs::Work tune_work(App& app, Json asked) {
  return [&app, asked = std::move(asked)](const Step& step) -> Json {
    const auto plugin = app.plugin();
    const Json before = plugin->ask("status")["tuning"];
    const Json answer = plugin->ask("tune", asked, step);
    if (!answer.contains("tuning")) return Json::object();
    Json result = answer["tuning"];
    result["before"] = before.is_null() ? Json() : before["scores"];
    result["after"] = result["scores"];
    if (answer.contains("changed")) result["changed"] = answer["changed"];
    return result;
  };
}

Response start_tune(App& app, const Request&, const Json& asked) {
  app.plugin();
  Json question = asked;
  question["changes"] = asked["dry_run"];
  return started(app.jobs.start("tune", tune_work(app, question)));
}

Response start_train(App& app, const Request&, const Json& asked) {
  app.plugin();
  Json question = asked;
  question.erase("assign");
  const auto work = [&app, question, assign = asked["assign"] == true](const Step& step) {
    const Json answer = app.plugin()->ask("train_topics", question, step);
    Json result = answer["map"];
    result["topics"] = answer["topics"];
    if (assign) result["assigned"] = ask_writing(app, "assign_topics", Json::object(), step);
    return result;
  };
  return started(app.jobs.start("train", work));
}

Response start_tag(App& app, const Request&, const Json& asked) {
  app.plugin();
  return started(app.jobs.start("tag", [&app, asked](const Step& step) {
    Json answer = asked["dry_run"] == true ? app.plugin()->ask("tag", asked, step)
                                           : ask_writing(app, "tag", asked, step);
    for (const char* key : {"question", "request", "shards"}) answer.erase(key);
    return answer;
  }));
}

Response answer_jobs(App& app, const Request&, const Json&) {
  return json_answer({{"jobs", app.jobs.all()}});
}

Response answer_job(App& app, const Request& request, const Json&) {
  return json_answer(app.jobs.find(request.capture));
}

Response cancel_job(App& app, const Request& request, const Json&) {
  return json_answer(app.jobs.cancel(request.capture), 202);
}

Response answer_status(App& app, const Request& request, const Json&) {
  const Json status = Json::parse(app.ask(request, "status", Json::object()));
  const Json index =  // as it is now
      Json::parse(app.ask(request, "search", {{"limit", 0}, {"facets", 0}}));
  Json json = {{"collection", app.options.name},
               {"index",
                {{"uuid", status["uuid"]},
                 {"profile", status["profile"]},
                 {"documents", index["total"]["estimate"]},
                 {"revision", index.value("revision", std::uint64_t{0})}}},
               {"plugin",
                {{"version", app.plugin()->library()->functions().version},
                 {"backend", status["backend"]},
                 {"device", status["device"]},
                 {"swaps", app.swaps()}}},
               {"lag_seconds", app.lag()},
               {"values", Json::array()},
               {"may_write", request.may_write},
               {"session", request.has_session}};
  for (const Json& field : app.options.values) json["values"].push_back(field["name"]);
  json["snapshot"] = {{"tuned", !status["tuning"].is_null()},
                      {"scores", status["tuning"].is_null() ? Json() : status["tuning"]["scores"]},
                      {"revision", status.value("revision", std::uint64_t{0})}};
  for (const SnapshotCount& count : kSnapshotCounts)
    json["snapshot"][count.key] = status[count.key];
  return json_answer(json);
}

std::vector<Gauge> gauges_of(const App& app) try {
  std::vector<Gauge> gauges = {
      {"ready", "1 if the index is loaded and at hand, else 0.",
       app.is_open() && app.is_at_hand() ? 1.0 : 0.0},
      {"lag_seconds", "How long the index has been ahead of what is answered by.", app.lag()},
      {"swaps", "How often the library was swapped since the start.",
       static_cast<double>(app.swaps())}};
  std::map<std::string, double> jobs = {
      {"running", 0}, {"done", 0}, {"failed", 0}, {"canceled", 0}};
  for (const Json& job : app.jobs.all()) ++jobs[job["state"]];
  for (const auto& [state, count] : jobs)
    gauges.push_back(
        {"jobs", "Jobs of this process that are remembered.", count, {{"state", state}}});
  if (!app.is_open()) return gauges;

  const Json status = app.plugin()->ask("status");
  for (const auto& [key, help] : kSnapshotCounts)
    gauges.push_back({key, help, status.value(key, 0.0)});
  gauges.push_back({"revision", "The revision of the index that is answered by.",
                    status.value("revision", 0.0)});
  gauges.push_back(
      {"tuned", "1 if tags are by a tuning, else 0.", status["tuning"].is_null() ? 0.0 : 1.0});
  return gauges;
} catch (const std::exception&) {
  return {{"ready", "1 if the index is loaded and at hand, else 0.", 0}};
}

Response answer_health(App&, const Request&, const Json&) {
  return json_answer({{"status", "ok"}});
}

Response answer_ready(App& app, const Request&, const Json&) {
  const double lag = app.lag();
  std::string status = "ready";
  if (lag > kReadyLag) status = "lagging";
  if (!app.is_at_hand()) status = "index-unavailable";
  if (!app.is_open()) status = "starting";
  Response response =
      json_answer({{"status", status}, {"lag_seconds", lag}}, status == "ready" ? 200 : 503);
  if (response.status == 503) response.headers.emplace_back("Retry-After", "2");
  return response;
}

}  // namespace search_server
