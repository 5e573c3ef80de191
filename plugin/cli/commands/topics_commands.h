#pragma once

#include "plugin/cli/commands/commands.h"

namespace kindred::cli {

void add_topics_train(Command topics, Action& action);   ///< topics train
void add_topics_assign(Command topics, Action& action);  ///< topics assign
void add_topics_export(Command topics, Action& action);  ///< topics export
void add_topics_map(Command topics, Action& action);     ///< topics map

}  // namespace kindred::cli
