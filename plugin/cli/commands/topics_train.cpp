// kindred topics train, kindred topics assign: make a map, and store the places of documents on it.

#include <iostream>
#include <memory>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/job.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

struct TrainCommand : QuestionCommand {
  bool assign = false;
};

void print_assignment(const Json& result, const QuestionCommand&) {
  const auto count = [&](const char* key) { return result[key].get<std::uint64_t>(); };
  std::cout << "placed " << count("examined") << " of " << count("matched")
            << " documents: " << count("written") << " got a new place, "
            << count("examined") - count("written") - count("gone") << " stayed as they were\n";
}

/// All processes of a job train. The first one does the rest.
int train(const TrainCommand& command) {
  const std::unique_ptr<SomExchange> others = join_job();
  const bool is_first = others == nullptr || others->rank() == 0;
  AskedDatabase database(command.database, is_first ? command.progress : "never", "placed");
  database.set_others(others.get());
  const std::string line = database.ask("train_topics", command.request);
  if (!is_first) return kGood;
  const Json result = Json::parse(line);
  const Json& map = result["map"];
  if (command.has_json()) {
    std::cout << line << '\n';
  } else {
    std::cout << map["documents"] << " documents on " << map["units"] << " units, "
              << result["topics"] << " topics, in " << fixed(map["training_seconds"], 1)
              << " s; quantization error " << fixed(map["quantization_error"], 4)
              << ", topographic error " << fixed(map["topographic_error"], 4) << '\n';
  }
  if (!command.assign) return kGood;
  const Json assigned = database.answer("assign_topics", Json::object());
  if (!command.has_json()) print_assignment(assigned, command);
  return kGood;
}

}  // namespace

void add_topics_train(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("train", find_question("train_topics").meaning);
  auto options = std::make_shared<TrainCommand>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  add_keys(command, "train_topics", options->request,
           {"rows", "columns", "epochs", "seed", "topics", "lattice", "toroidal", "start",
            "sigma_start", "sigma_end", "linear", "cut", "resume"});
  for (const char* own : {"--rows", "--columns", "--lattice", "--toroidal", "--seed", "--start"})
    command.get_option("--resume")->excludes(command.get_option(own));
  command.add_flag("--assign", options->assign,
                   "Then store the topics in the index, as 'topics assign' does");
  add_progress_option(command, options->progress);
  command.callback([options, &action] { action = [options] { return train(*options); }; });
}

void add_topics_assign(CLI::App& topics, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command =
      add_question(topics, action, "assign", "assign_topics", "placed", print_assignment, options);
  add_wait_option(command, options->database);
  add_keys(command, "assign_topics", options->request, {"restart"});
  add_progress_option(command, options->progress);
}

}  // namespace kindred::cli
