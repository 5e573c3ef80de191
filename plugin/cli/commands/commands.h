#pragma once

#include <CLI/CLI.hpp>

#include "plugin/cli/options.h"

namespace kindred::cli {

/// Each adds one subcommand to `program`. If that subcommand is parsed, it sets `action`.
void add_index(CLI::App& program, Action& action);   ///< index
void add_ingest(CLI::App& program, Action& action);  ///< ingest: index, and tag
void add_search(CLI::App& program, Action& action);
void add_show(CLI::App& program, Action& action);
void add_related(CLI::App& program, Action& action);
void add_classify(CLI::App& program, Action& action);
void add_evaluate(CLI::App& program, Action& action);
void add_geometry(CLI::App& program, Action& action);
void add_suspects(CLI::App& program, Action& action);
void add_candidates(CLI::App& program, Action& action);
void add_duplicates(CLI::App& program, Action& action);
void add_delete(CLI::App& program, Action& action);
void add_label(CLI::App& program, Action& action);  ///< label list, rename, remove
void add_tag(CLI::App& program, Action& action);
void add_log(CLI::App& program, Action& action);
void add_undo(CLI::App& program, Action& action);
void add_review(CLI::App& program, Action& action);
void add_vocabulary(CLI::App& program, Action& action);  ///< vocabulary load, show, ...
void add_tune(CLI::App& program, Action& action);
void add_topics(CLI::App& program, Action& action);  ///< topics train, show, of, assign, ...
void add_export(CLI::App& program, Action& action);
void add_mirror(CLI::App& program, Action& action);
void add_status(CLI::App& program, Action& action);
void add_settings(CLI::App& program, Action& action);
void add_analyze(CLI::App& program, Action& action);
void add_help(CLI::App& program, Action& action);

}  // namespace kindred::cli
