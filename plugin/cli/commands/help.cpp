// kindred help: the help of a command, and man pages.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/ask/question.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/output_file.h"

namespace kindred::cli {
namespace {

/// Text as roff shows it, in one line.
std::string roff(std::string_view text) {
  // In roff a dot or an apostrophe at the begin of a line is a command, and a hyphen is no minus.
  static const std::map<char, const char*> kEscapes = {
      {'\\', "\\e"},   {'-', "\\-"},   {'~', "\\(ti"}, {'^', "\\(ha"},
      {'\'', "\\(aq"}, {'`', "\\(ga"}, {'\n', " "}};

  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    if (escape == kEscapes.end()) {
      out += c;
    } else {
      out += escape->second;
    }
  }
  return out;
}

/// "kindred topics map" as "kindred-topics-map".
std::string page_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return command;
}

/// "Draw the map" as "draw the map".
std::string uncapitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

constexpr const char* kFiles = R"(.SH ENVIRONMENT
.TP
\fBKINDRED_CONFIG\fR
A settings file, which is read if there is no \fB\-\-config\fR.
.SH FILES
Without either, the first of these settings files that exists is read:
.TP
\fIDIR\fR/kindred.toml
among Kindred's files beside the database
.TP
$XDG_CONFIG_HOME/kindred/kindred.toml
or, if that is not set, ~/.config/kindred/kindred.toml
.TP
/etc/kindred/kindred.toml
the settings of this machine
)";

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The help of a command, whose headings become those of the page.
std::string man_page(const CLI::App& command, const CLI::App& program, const std::string& version) {
  constexpr std::size_t kColumns = 72;  // man indents them
  constexpr std::string_view kUsage = "Usage: ";
  const std::string name = page_name(full_name(command));
  std::string page = ".TH " + roff(in_capitals(name)) + " 1 \"\" \"" + version +
                     "\" \"Kindred manual\"\n.SH NAME\n" + roff(name) + " \\- " +
                     roff(uncapitalized(command.get_description())) + "\n.SH SYNOPSIS\n";

  // The synopsis is the line of the usage; the rest of the help keeps its columns, each list in a
  // paragraph that roff does not fill.
  std::istringstream lines(help_text(command, kColumns));
  std::string line;
  while (std::getline(lines, line) && !line.starts_with(kUsage)) continue;
  page += roff(line.substr(kUsage.size())) + "\n";
  while (std::getline(lines, line)) {
    const bool is_heading = line.ends_with(':') && !line.starts_with(' ');
    if (is_heading) line = in_capitals(line.substr(0, line.size() - 1));
    if (is_heading) {
      page += ".fi\n.SH " + roff(line) + "\n.nf\n";
    } else {
      page += roff(line) + "\n";
    }
  }

  page += ".fi\n";
  if (&command == &program) page += kFiles;

  page +=
      ".SH EXIT STATUS\n0 for success, 1 for an error or bad records, 2 for a wrong command "
      "line.\n";
  if (&command != &program) page += ".SH SEE ALSO\n" + program.get_name() + "(1)\n";
  return page;
}

/// Writes a man page for a command and each of its subcommands, at every depth, into a folder that
/// exists: "kindred topics map" as kindred-topics-map.1. What they say is what the help says.
/// `version`: of the program, such as "kindred 0.1.0".
/// @throws Error kNotFound if a page cannot be written.
void write_pages(const CLI::App& command, const CLI::App& program, const std::string& version,
                 const std::string& folder) {
  write_output_file(folder + "/" + page_name(full_name(command)) + ".1",
                    man_page(command, program, version));
  for (const CLI::App* each : subcommands_of(command)) write_pages(*each, program, version, folder);
}

constexpr const char* kHelpFooter = R"(
Examples:
  kindred help related
  kindred help topics train
  kindred help --schema related
The man pages are also installed with the program, and so is its completion for bash,
fish and zsh.)";

struct HelpOptions {
  std::vector<std::string> command;
  std::string files;
  std::string schema;
};

int run(const HelpOptions& options, const CLI::App& program, const CLI::App& asked) {
  if (!options.schema.empty()) {
    std::cout << schemas_of(find_question(options.schema)).dump(2) << '\n';
  } else if (!options.files.empty()) {
    write_pages(program, program, "kindred " KINDRED_VERSION, options.files);
    for (const Question& question : questions())
      write_output_file(options.files + "/" + question.name + ".json",
                        schemas_of(question).dump(2) + "\n");
  } else {
    std::cout << help_text(asked);
  }
  return kGood;
}

}  // namespace

void add_help(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("help", "Show the help of a command");

  auto options = std::make_shared<HelpOptions>();
  command.add_option("command", options->command, "The command, such as topics train")
      ->type_name("COMMAND");
  command
      .add_option("--files", options->files,
                  "Write a man page for each command into this folder, and the schemas of each "
                  "question")
      ->type_name("DIR")
      ->check(not_empty("a folder"));
  command
      .add_option("--schema", options->schema,
                  "Print JSON Schemas of the request and the answer of a question")
      ->type_name("QUESTION");

  command.footer(kHelpFooter + 1);
  command.callback([options, &program, &action] {
    const CLI::App& asked = named_command(program, options->command);

    // A word for each command, and before them "kindred".
    const std::string name = full_name(asked);
    const auto known = static_cast<std::size_t>(std::ranges::count(name, ' '));
    if (known < options->command.size())
      throw CLI::ValidationError(unknown_subcommand(asked, options->command[known]));
    action = [options, &program, &asked] {
      return run(*options, program, asked);
    };
  });
}

}  // namespace kindred::cli
