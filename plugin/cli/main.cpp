// kindred: tags and related documents for Xapian databases, from the command line.

#include <xapian.h>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/messages.h"

namespace {

using namespace kindred::cli;

constexpr const char* kFooter = R"(
Examples:
  kindred index --db wiki.db articles.jsonl.gz     make a database from JSON Lines
  kindred ingest --db wiki.db new.jsonl            add documents and tag them
  kindred related --db wiki.db --id apollo-11      documents like this one
  kindred classify --db wiki.db --text "..."       tags that a text deserves
  kindred tag --db wiki.db --all --dry-run         tags for the documents of the index
  kindred topics train --db wiki.db                a map with named topics
  kindred status --db /var/lib/xapian-omega/data/default

'kindred COMMAND --help' lists the options of a command. Exit status: 0 success, 1 an error or bad
records, 2 a wrong command line.)";

int fail(const std::string& message) {
  std::cout.flush();
  tell("kindred: " + message);
  return kFailed;
}

/// A message for an unknown command, where CLI11 says only that `command` needs a subcommand. ""
/// for any other fault.
std::string unknown_command(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const bool is_missing =
      command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  if (!is_missing || rest.empty() || rest[0].starts_with('-')) return "";
  return "there is no command '" + rest[0] + "'";
}

/// Prints the help that was asked for, or what is wrong with the command line; returns the exit
/// status.
int report_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string name;
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands()[0];
    name += command->get_name() + " ";
  }
  const std::string unknown = unknown_command(*command);
  tell("kindred: " + (unknown.empty() ? error.what() : unknown));
  tell("Try 'kindred " + name + "--help'.");
  return kUsage;
}

/// Runs the action; every error becomes a line on standard error.
int run(const Action& action) try {
  const int status = action();
  std::cout.flush();
  return std::cout ? status : fail("cannot write to standard output");
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

}  // namespace

int main(int argc, char* argv[]) {
  std::ios::sync_with_stdio(false);
  CLI::App app("Tags documents and finds related ones, from a Xapian database alone.", "kindred");
  app.set_version_flag("-v,--version", "kindred " KINDRED_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer(kFooter + 1);
  Action action;
  add_index(app, action);
  add_ingest(app, action);
  add_related(app, action);
  add_classify(app, action);
  add_evaluate(app, action);
  add_geometry(app, action);
  add_suspects(app, action);
  add_tag(app, action);
  add_tune(app, action);
  add_topics(app, action);
  add_status(app, action);
  add_analyze(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return report_parse(app, e);
  }
  return run(action);
}
