#include <utility>

#include "api/guarded.h"
#include "api/job_steps.h"
#include "api/reading/members.h"
#include "api/reading/parameters.h"
#include "api/routes/routes.h"
#include "api/tune_job.h"
#include "jobs/job_routes.h"
#include "jobs/jobs.h"

namespace search_server {
namespace {

/// The options of a job, which may be left out.
Json read_options(const Request& request, const App& app) {
  ParameterReader(request).done();
  if (request.header("content-length") == "0" || request.header("content-type").empty()) {
    if (request.body().read_all(app.options().document_limit).empty()) return Json::object();
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
  Json settings = Json::object();
  if (const auto filter = members.text("filter", 0, 65'536)) settings["filter"] = *filter;
  const bool dry_run = members.flag("dry_run", false);
  members.done();
  const auto plugin = app.plugin();
  return start(jobs, "tune", tune_work(plugin, to_text(settings), dry_run ? KINDRED_DRY_RUN : 0));
}

Json assign_topics(App& app, JobContext& context) {
  JobSteps steps(context, "assign");
  kindred_assign_request question = KINDRED_ASSIGN_REQUEST_INIT;
  question.progress = JobSteps::documents;
  question.progress_user = &steps;
  kindred_assign_report report = KINDRED_ASSIGN_REPORT_INIT;
  app.writer().exclusively([&](const Handle& plugin) {
    plugin.call(&kindred_descriptor::assign_topics, &std::as_const(question), &report);
  });
  return {{"matched", report.matched},
          {"examined", report.examined},
          {"gone", report.gone},
          {"written", report.written}};
}

struct TrainOptions {
  kindred_train_request request = KINDRED_TRAIN_REQUEST_INIT;
  std::string lattice;
  bool assign = true;
};

TrainOptions read_train_options(const Json& body) {
  MemberReader members(body);
  TrainOptions options;
  options.request.rows = members.integer("rows", KINDRED_DEFAULT, 1, 1000);
  options.request.columns = members.integer("columns", KINDRED_DEFAULT, 1, 1000);
  options.request.epochs = members.integer("epochs", KINDRED_DEFAULT, 1, 1000);
  options.request.seed = members.integer("seed", KINDRED_DEFAULT, 0, INT32_MAX);
  options.request.count = members.integer("count", KINDRED_DEFAULT, 0, 1000);
  options.lattice = members.word("lattice", "", {"hexagonal", "rectangular"});
  if (members.flag("toroidal", false)) options.request.flags |= KINDRED_TOROIDAL;
  options.assign = members.flag("assign", true);
  members.done();
  return options;
}

Response start_train(App& app, Jobs& jobs, const Request& request) {
  const TrainOptions options = read_train_options(read_options(request, app));
  const auto plugin = app.plugin();
  return start(jobs, "train", [&app, plugin, options](JobContext& context) {
    JobSteps steps(context, "train");
    kindred_train_request question = options.request;
    question.lattice = borrowed(options.lattice);
    question.progress = JobSteps::epochs;
    question.progress_user = &steps;
    const auto map = plugin->ask(&kindred_descriptor::train_topics,
                                 &kindred_descriptor::topics_free, &std::as_const(question));
    Json result = {{"documents", map->documents},
                   {"units", map->units},
                   {"topics", map->topic_count},
                   {"quantization_error", map->quantization_error},
                   {"topographic_error", map->topographic_error},
                   {"assigned", nullptr}};
    if (options.assign) result["assigned"] = assign_topics(app, context);
    return result;
  });
}

Json report_json(const kindred_tag_report& report) {
  return {
      {"matched", report.matched}, {"continued", report.continued}, {"examined", report.examined},
      {"tagged", report.tagged},   {"labeled", report.labeled},     {"opted_out", report.opted_out},
      {"gone", report.gone},       {"changed", report.changed},     {"written", report.written},
      {"given", report.given},     {"taken_off", report.taken_off}, {"rejected", report.rejected}};
}

Response start_tag(App& app, Jobs& jobs, const Request& request) {
  const Json body = read_options(request, app);
  MemberReader members(body);
  const std::string query = members.text("query", 0, 65'536).value_or("");
  std::uint64_t flags = 0;
  if (members.flag("pending", false)) flags |= KINDRED_PENDING;
  if (members.flag("restart", false)) flags |= KINDRED_RESTART;
  const bool dry_run = members.flag("dry_run", false);
  if (dry_run) flags |= KINDRED_DRY_RUN;
  members.done();
  app.plugin();
  return start(jobs, "tag", [&app, query, flags, dry_run](JobContext& context) {
    JobSteps steps(context, "tag");
    kindred_tag_request question = KINDRED_TAG_REQUEST_INIT;
    question.query = borrowed(query);
    question.flags = flags;
    question.progress = JobSteps::documents;
    question.progress_user = &steps;
    kindred_tag_report report = KINDRED_TAG_REPORT_INIT;
    const auto tag = [&](const Handle& plugin) {
      plugin.call(&kindred_descriptor::tag_documents, &std::as_const(question), &report);
    };
    if (dry_run) {
      tag(*app.plugin());
    } else {
      app.writer().exclusively(tag);
    }
    return report_json(report);
  });
}

}  // namespace

void add_job_starts(Router& router, App& app, Jobs& jobs) {
  RouteOptions options;
  options.writes = true;
  options.body_limit = app.options().document_limit;
  options.body_optional = true;
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
