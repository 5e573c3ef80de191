// kindred: tags and related documents for Xapian databases, from the command line.

#include <xapian.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/job.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/snapshot/example_query.h"

namespace {

using namespace kindred::cli;

constexpr const char* kSharedCommand = "kindred topics train";

constexpr const char* kFooter = R"(
Examples:
  kindred index --db wiki.db articles.jsonl.gz     make a database from JSON Lines
  kindred ingest --db wiki.db new.jsonl            add documents and tag them
  kindred related --db wiki.db --id apollo-11      documents like this one
  kindred classify --db wiki.db --text "..."       tags that a text deserves
  kindred tag --db wiki.db --all --dry-run         tags for the documents of the index
  kindred topics train --db wiki.db                a map with named topics

'kindred help COMMAND' lists the options of a command. Exit status: 0 success, 1 an error or bad
records, 2 a wrong command line.)";

/// Ends the processes that this one has joined, too.
int fail(const std::string& message) {
  std::cout.flush();
  const Launch started = launch();
  std::string who;
  if (started.rank > 0) who = "rank " + std::to_string(started.rank) + ": ";
  tell("kindred: " + who + message);
  abort_job();
  return kFailed;
}

/// Says what is wrong with the command line, and where to find help.
int fail_usage(const CLI::App& program, const CLI::ParseError& error) {
  if (launch().rank != 0) return kGood;  // rank 0, whose command line is the same, says it
  tell("kindred: " + fault_of(program, error));
  tell("Try '" + full_name(parsed_command(program)) + " --help'.");
  return kUsage;
}

/// False for a command that was started several times, and is for one process.
/// @throws Error kUnsupported where that is to be said.
bool may_run(const std::string& command) {
  // A job that was started as several processes by mistake is told so once.
  const Launch started = launch();
  if (started.size == 1 || command == kSharedCommand) return true;
  if (started.rank > 0) return false;
  throw kindred::Error(kindred::Errc::kUnsupported,
                       "'" + command + "' is for one process; started as " +
                           std::to_string(started.size) + ", which only '" + kSharedCommand +
                           "' can share");
}

/// A word that is no id may be a text, where a command takes texts.
std::string fault_of_id(const kindred::UnknownId& error, const CLI::App& command) {
  std::string fault = error.what();
  if (command.get_option_no_throw("--text") != nullptr) fault += "; for a text write --text";
  return fault;
}

/// Runs the action; every error becomes a line on standard error.
int run(const Action& action, const CLI::App& command) {
  try {
    if (!may_run(full_name(command))) return kGood;  // so that rank 0 is not ended before it speaks

    const int status = action();
    std::cout.flush();
    if (!std::cout) return fail("cannot write to standard output");
    end_job();
    return status;
  } catch (const kindred::UnknownId& e) {
    return fail(fault_of_id(e, command));
  } catch (const kindred::Error& e) {
    return fail(e.what());
  } catch (const Xapian::Error& e) {  // not a std::exception
    return fail(e.get_description());
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& e) {
    return fail(e.what());
  } catch (...) {
    return fail("unknown error");
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  std::ios::sync_with_stdio(false);

  CLI::App program("Tags documents and finds related ones, from a Xapian database alone.",
                   "kindred");
  program.set_version_flag("-v,--version", "kindred " KINDRED_VERSION);
  program.formatter(std::make_shared<HelpFormat>());
  program.require_subcommand(1);
  program.footer(kFooter + 1);

  // The order is that of the help.
  Action action;
  for (const auto add :
       {add_index,    add_ingest,   add_search,   add_show,       add_related,    add_classify,
        add_evaluate, add_geometry, add_suspects, add_candidates, add_duplicates, add_delete,
        add_tag,      add_label,    add_log,      add_undo,       add_review,     add_vocabulary,
        add_tune,     add_topics,   add_export,   add_mirror,     add_status,     add_settings,
        add_analyze,  add_help})
    add(program, action);

  if (argc > 1 && std::string_view(argv[1]) == "--complete") {  // asked by plugin/cli/completion
    std::cout << completions(program, {argv + 2, argv + argc});
    return kGood;
  }

  if (argc == 1) {
    std::cout << program.help();
    return kUsage;
  }

  // CLI11 would read a database that is not named and an optional value in its own way, so
  // completed() goes before it.
  try {
    std::vector<std::string> words = completed(program, {argv + 1, argv + argc});
    std::ranges::reverse(words);  // CLI11 takes them from the end
    program.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    const bool is_help = e.get_exit_code() == 0;
    if (is_help) return program.exit(e);
    return fail_usage(program, e);
  }

  return run(action, parsed_command(program));
}
