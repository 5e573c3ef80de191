// kindred topics train, kindred topics assign: make a map, and store the places of documents on it.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include "plugin/answers/topics.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/ranks/job.h"
#include "plugin/writing/stored_answers.h"

namespace kindred::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct TrainOptions {
  DatabaseOptions database;
  TopicsRequest request;
  std::string progress = "auto";
  bool assign = false;
};

std::string epoch_text(const TopicsEpoch& epoch) {
  return "epoch " + std::to_string(epoch.epoch) + " of " + std::to_string(epoch.epochs) +
         ": sigma " + fixed(epoch.sigma, 2) + ", quantization error " +
         fixed(epoch.quantization_error, 4) + ", topographic error " +
         fixed(epoch.topographic_error, 4) + ", " + std::to_string(epoch.moved) +
         " documents moved";
}

Json report_json(const AssignReport& report) {
  return {{"revision", report.revision},   {"matched", report.matched},
          {"continued", report.continued}, {"examined", report.examined},
          {"gone", report.gone},           {"written", report.written}};
}

void print_assignment(const AssignReport& report, double seconds) {
  std::cout << "placed " << report.examined << " of " << report.matched << " documents in "
            << fixed(seconds, 1) << " s: " << report.written << " got a new place, "
            << report.examined - report.written - report.gone << " stayed as they were\n";
}

AssignReport assign(Engine& engine, bool restart, Progress& progress) {
  AssignRequest request;
  request.restart = restart;
  request.on_progress = [&](const AssignReport& report) {
    progress.report_share(report.continued + report.examined, report.matched);
  };
  const AssignReport report = assign_topics(engine, request);
  progress.finish();
  return report;
}

/// All processes of a job train. The first one does the rest.
int train(const TrainOptions& options) {
  const std::unique_ptr<SomExchange> others = join_job();
  const bool is_first = others == nullptr || others->rank() == 0;
  Engine engine = open_engine(options.database);
  Progress progress(is_first ? options.progress : "never", "placed");
  const auto tell_epoch = [&](const TopicsEpoch& epoch) {
    progress.step(epoch_text(epoch));
    return true;
  };
  const auto map = engine.train_topics(options.request, tell_epoch, others.get());
  if (!is_first) return kGood;
  const auto start = Clock::now();
  AssignReport report;
  if (options.assign) report = assign(engine, false, progress);
  if (options.database.common.json) {
    Json json = summary_json(*map);
    if (options.assign) json["assigned"] = report_json(report);
    print_json(json);
    return kGood;
  }
  std::cout << map->origin.documents << " documents on " << map->units.size() << " units, "
            << map->topics.size() << " topics, in " << fixed(map->origin.seconds, 1)
            << " s; quantization error " << fixed(map->quantization_error, 4)
            << ", topographic error " << fixed(map->topographic_error, 4) << '\n';
  if (options.assign) print_assignment(report, seconds_since(start));
  return kGood;
}

struct AssignOptions {
  DatabaseOptions database;
  bool restart = false;
  std::string progress = "auto";
};

int assign(const AssignOptions& options) {
  const auto start = Clock::now();
  Engine engine = open_engine(options.database);
  Progress progress(options.progress, "placed");
  const AssignReport report = assign(engine, options.restart, progress);
  if (options.database.common.json) {
    Json json = report_json(report);
    json["seconds"] = seconds_since(start);
    print_json(json);
  } else {
    print_assignment(report, seconds_since(start));
  }
  return kGood;
}

/// Size, topics, lattice and start.
void add_shape_options(CLI::App& command, TopicsRequest& request) {
  const auto count = [&](const char* name, auto& value, const std::string& what, std::int64_t low,
                         std::int64_t high) {
    command.add_option(name, value, what)->type_name("N")->transform(whole_number(low, high));
  };
  const std::string usual_size = "; default: for about 5 sqrt(documents) units";
  count("--rows", request.rows, "Rows of the map" + usual_size, 1, 1000);
  count("--columns", request.columns, "Columns of the map" + usual_size, 1, 1000);
  count("--epochs", request.epochs, with_default("Passes over the documents", request.epochs), 1,
        1000000);
  count("--seed", request.seed,
        with_default("Seed of random starts; the same seed gives the same map", request.seed), 0,
        INT64_MAX);
  count("--topics", request.count,
        with_default("How many topics to make; 0: training finds a number", request.count), 0,
        1000000);
  command
      .add_option("--lattice", request.lattice,
                  with_default("How units are arranged", request.lattice))
      ->type_name("NAME")
      ->check(CLI::IsMember({"hexagonal", "rectangular"}));
  command.add_flag("--toroidal", request.toroidal, "Join opposite edges of the map");
  command
      .add_option("--start", request.start,
                  "Where units begin: on the plane of the two principal components, at\n"
                  "random documents, or at random places")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"plane", "documents", "uniform"}));
}

/// How the neighborhood shrinks.
void add_radius_options(CLI::App& command, TopicsRequest& request) {
  command
      .add_option("--sigma-start", request.sigma_start,
                  "First radius of the neighborhood, in units of the map; default 0:\n"
                  "half the shorter side")
      ->type_name("R")
      ->check(number(0, 1000));
  command
      .add_option("--sigma-end", request.sigma_end,
                  "Last radius of the neighborhood, in units of the map")
      ->type_name("R")
      ->capture_default_str()
      ->check(number(0.01, 1000));
  command.add_flag("--linear", request.linear,
                   "Let the radius fall linearly instead of exponentially");
  command.add_flag("--cut", request.cut, "End the neighborhood at the radius");
}

}  // namespace

void add_topics_train(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("train", "Make a map of the index");
  auto options = std::make_shared<TrainOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  add_shape_options(command, options->request);
  add_radius_options(command, options->request);
  CLI::Option* const resume = command.add_flag(
      "--resume", options->request.resume, "Continue from the map that is there, on its lattice");
  for (const char* own : {"--rows", "--columns", "--lattice", "--toroidal", "--seed", "--start"})
    resume->excludes(command.get_option(own));
  command.add_flag("--assign", options->assign,
                   "Then store the topics in the index, as 'topics assign' does");
  add_progress_option(command, options->progress);
  command.callback([options, &action] { action = [options] { return train(*options); }; });
}

void add_topics_assign(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand(
      "assign", "Store topic and unit of each document in the index, to filter by");
  auto options = std::make_shared<AssignOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  command.add_flag("--restart", options->restart,
                   "Start over instead of continuing an interrupted run");
  add_progress_option(command, options->progress);
  command.callback([options, &action] { action = [options] { return assign(*options); }; });
}

}  // namespace kindred::cli
