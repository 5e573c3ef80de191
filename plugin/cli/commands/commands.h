#pragma once

#include <functional>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// Exit statuses of the program.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;  ///< an error, or some records failed
inline constexpr int kUsage = 2;   ///< the command line is wrong

/// Does what the command line asks for; returns the exit status. Throws what the library throws.
using Action = std::function<int()>;

/// Each adds one subcommand to `program`. If that subcommand is parsed, it sets `action`.
void add_index(Command program, Action& action);  ///< index
void add_ingest(Command program,
                Action& action);  ///< ingest: index, and tag records without labels
void add_related(Command program, Action& action);
void add_classify(Command program, Action& action);
void add_evaluate(Command program, Action& action);
void add_geometry(Command program, Action& action);
void add_suspects(Command program, Action& action);
void add_candidates(Command program, Action& action);
void add_duplicates(Command program, Action& action);
void add_tag(Command program, Action& action);
void add_tune(Command program, Action& action);
void add_topics(Command program, Action& action);  ///< topics train, show, of, assign, ...
void add_mirror(Command program, Action& action);
void add_status(Command program, Action& action);
void add_settings(Command program, Action& action);
void add_analyze(Command program, Action& action);
void add_help(Command program, Action& action);

}  // namespace kindred::cli
