#pragma once

#include <CLI/CLI.hpp>
#include "plugin/cli/commands/commands.h"

namespace kindred::cli {

void add_topics_train(CLI::App& topics, Action& action);   ///< topics train
void add_topics_assign(CLI::App& topics, Action& action);  ///< topics assign
void add_topics_export(CLI::App& topics, Action& action);  ///< topics export
void add_topics_map(CLI::App& topics, Action& action);     ///< topics map

}  // namespace kindred::cli
