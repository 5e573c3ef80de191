#include <utility>

#include "api/guarded.h"
#include "api/job_steps.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/tune_job.h"
#include "jobs/jobs.h"

namespace search_server {
namespace {

/// The options of a job, which may be left out.
Json read_options(const Request& request, const App& app) {
  ParameterReader(request).done();
  if (request.header("content-length") == "0" || request.header("content-type").empty()) {
    if (request.body.empty()) return Json::object();
    throw Problem(415, "unsupported-media-type", "expected a body of application/json");
  }
  return read_object(request, app.options().document_limit);
}

Response start(Jobs& jobs, const std::string& kind, Jobs::Work work) {
  return job_started(jobs.start(kind, guarded_work(std::move(work))));
}

Response start_tune(App& app, Jobs& jobs, const Request& request) {
  const Json body = read_options(request, app);
  MemberReader members(body);
  Json question = Json::object();
  if (const auto filter = members.text("filter", 0, 65'536)) question["filter"] = *filter;
  question["dry_run"] = members.flag("dry_run", false);
  members.done();
  return start(jobs, "tune", tune_work(app.plugin(), question));
}

/// These members of an object.
Json selected(const Json& object, std::initializer_list<const char*> keys) {
  Json json = Json::object();
  for (const char* key : keys) json[key] = object[key];
  return json;
}

Json assign_topics(App& app, JobContext& context) {
  Json result;
  app.writer().exclusively([&](const Handle& plugin) {
    result = plugin.ask("assign_topics", Json::object(), job_step(context, "assign"));
  });
  return selected(result, {"matched", "examined", "gone", "written"});
}

struct TrainOptions {
  Json request = Json::object();
  bool assign = true;
};

TrainOptions read_train_options(const Json& body) {
  MemberReader members(body);
  TrainOptions options;
  const auto count = [&](const char* name, const char* key, std::int64_t least, std::int64_t most) {
    const std::int64_t value = members.integer(name, KINDRED_DEFAULT, least, most);
    if (value != KINDRED_DEFAULT) options.request[key] = value;
  };
  count("rows", "rows", 1, 1000);
  count("columns", "columns", 1, 1000);
  count("epochs", "epochs", 1, 1000);
  count("seed", "seed", 0, INT32_MAX);
  count("count", "topics", 0, 1000);
  const std::string lattice = members.word("lattice", "", {"hexagonal", "rectangular"});
  if (!lattice.empty()) options.request["lattice"] = lattice;
  options.request["toroidal"] = members.flag("toroidal", false);
  options.assign = members.flag("assign", true);
  members.done();
  return options;
}

Response start_train(App& app, Jobs& jobs, const Request& request) {
  const TrainOptions options = read_train_options(read_options(request, app));
  const auto plugin = app.plugin();
  return start(jobs, "train", [&app, plugin, options](JobContext& context) {
    const Json made = plugin->ask("train_topics", options.request, job_step(context, "train"));
    Json result =
        selected(made["map"], {"documents", "units", "quantization_error", "topographic_error"});
    result["topics"] = made["topics"];
    result["assigned"] = options.assign ? assign_topics(app, context) : Json();
    return result;
  });
}

Json report_json(const Json& result) {
  return selected(result, {"matched", "continued", "examined", "gone", "written", "tagged",
                           "labeled", "opted_out", "changed", "given", "taken_off", "rejected"});
}

Response start_tag(App& app, Jobs& jobs, const Request& request) {
  const Json body = read_options(request, app);
  MemberReader members(body);
  Json question = {{"query", members.text("query", 0, 65'536).value_or("")}};
  for (const char* flag : {"pending", "restart", "dry_run"})
    question[flag] = members.flag(flag, false);
  members.done();
  app.plugin();
  return start(jobs, "tag", [&app, question](JobContext& context) {
    Json result;
    const auto tag = [&](const Handle& plugin) {
      result = plugin.ask("tag", question, job_step(context, "tag"));
    };
    if (question["dry_run"].get<bool>()) {
      tag(*app.plugin());
    } else {
      app.writer().exclusively(tag);
    }
    return report_json(result);
  });
}

}  // namespace

void add_job_starts(Router& router, App& app, Jobs& jobs) {
  RouteOptions options;
  options.writes = true;
  options.body_limit = app.options().document_limit;
  using Start = Response (*)(App&, Jobs&, const Request&);
  const auto add = [&](const std::string& kind, Start start_job) {
    router.add("POST", "/jobs/" + kind, guarded([&app, &jobs, start_job](const Request& request) {
                 return start_job(app, jobs, request);
               }),
               options);
  };
  add("tune", start_tune);
  add("train", start_train);
  add("tag", start_tag);
}

}  // namespace search_server
