// kindred help: the help of a command, and man pages.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <set>
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
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\n':
        out += ' ';
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
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

/// What ends the help, parted: indented lines are examples, the others are prose.
struct Footer {
  std::string prose;
  std::string examples;
};

Footer footer_of(const CLI::App& command) {
  Footer footer;
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      footer.examples += roff(line.substr(2)) + "\n";
    } else if (line.empty()) {
      footer.prose += footer.prose.empty() ? "" : ".PP\n";
    } else if (line != "Examples:") {
      footer.prose += roff(line) + "\n";
    }
  }
  return footer;
}

std::string synopsis(const CLI::App& command) {
  std::string text = bold(full_name(command));
  if (!subcommands_of(command).empty()) text += " " + italic("COMMAND");
  text += " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name =
        italic(option->get_name(true)) + (value_of(*option).is_list ? "..." : "");
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

/// The names of options, sorted, since CLI11 has them in the order of their addresses.
std::string sorted_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());
  return listed(names);
}

std::string option_entry(const CLI::Option& option) {
  const OptionValue value = value_of(option);
  const bool is_argument = option.get_positional();
  std::string entry = ".TP\n", names;
  for (const std::string& name : names_of(option))
    names += (names.empty() ? "" : ", ") + (is_argument ? italic(name) : bold(name));
  entry += names;
  if (!value.name.empty() && !is_argument)
    entry += value.is_optional ? "[=" + italic(value.name) + "]" : " " + italic(value.name);
  entry += "\n" + roff(option.get_description()) + ".\n";
  const auto add = [&](const std::string& what, const std::string& text) {
    if (!text.empty()) entry += what + roff(text) + ".\n";
  };
  if (option.get_required() && !is_argument) entry += "Required.\n";
  if (value.is_list) entry += "May be given several times.\n";
  add("One of ", listed(value.choices));
  if (!value.name.empty())
    add(value.is_optional ? "Without a value: " : "Default: ", option.get_default_str());
  add("Needs ", sorted_names(option.get_needs()));
  add("Not with ", sorted_names(option.get_excludes()));
  return entry;
}

std::string options_of(const CLI::App& command) {
  std::vector<std::string> headings;
  for (const CLI::Option* option : command.get_options()) {
    if (std::find(headings.begin(), headings.end(), option->get_group()) == headings.end())
      headings.push_back(option->get_group());
  }
  std::string text;
  for (const std::string& heading : headings) {
    std::string title = heading;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += ".SH " + roff(title) + "\n";
    for (const CLI::Option* option : command.get_options())
      if (option->get_group() == heading) text += option_entry(*option);
  }
  return text;
}

std::string commands_section(const CLI::App& command) {
  if (subcommands_of(command).empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const CLI::App* each : subcommands_of(command))
    text += ".TP\n" + bold(page_name(full_name(*each))) + "(1)\n" + roff(each->get_description()) +
            ".\n";
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

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
0 for success, 1 for an error or bad records, 2 for a wrong command line.
)";

std::string man_page(const CLI::App& command, const CLI::App& program, const std::string& version) {
  const Footer footer = footer_of(command);
  std::string title = page_name(full_name(command));
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string page = ".TH " + roff(title) + " 1 \"\" \"" + version + "\" \"Kindred manual\"\n";
  page += ".SH NAME\n" + roff(page_name(full_name(command))) + " \\- " +
          roff(uncapitalized(command.get_description())) + "\n";
  page += ".SH SYNOPSIS\n" + synopsis(command);
  if (!footer.prose.empty()) page += ".SH DESCRIPTION\n" + footer.prose;
  page += commands_section(command) + options_of(command);
  if (!footer.examples.empty()) page += ".SH EXAMPLES\n.nf\n" + footer.examples + ".fi\n";
  if (&command == &program) page += kFiles;
  page += kExitStatus;
  if (&command != &program) page += ".SH SEE ALSO\n" + bold(program.get_name()) + "(1)\n";
  return page;
}

void write_pages(const CLI::App& command, const CLI::App& program, const std::string& version,
                 const std::string& folder) {
  write_output_file(folder + "/" + page_name(full_name(command)) + ".1",
                    man_page(command, program, version));
  for (const CLI::App* each : subcommands_of(command)) write_pages(*each, program, version, folder);
}

/// Writes a man page for `program` and each of its subcommands, at every depth, into a folder that
/// exists: "kindred topics map" as kindred-topics-map.1. What they say is what the help says.
/// `version`: of the program, such as "kindred 0.1.0".
/// @throws Error kNotFound if a page cannot be written.
void write_man_pages(const CLI::App& program, const std::string& version,
                     const std::string& folder) {
  write_pages(program, program, version, folder);
}

constexpr const char* kHelpFooter = R"(
Examples:
  kindred help related
  kindred help topics train
  kindred help --man-pages /usr/local/share/man/man1
  kindred help --schema related
The man pages are also installed with the program, and so is its completion for bash,
fish and zsh.)";

struct HelpOptions {
  std::vector<std::string> command;
  std::string man_pages;
  std::string schema;
  std::string schemas;
};

/// @throws CLI::ValidationError if there is no such command.
const CLI::App& find_command(const CLI::App& program, const std::vector<std::string>& names) {
  const CLI::App* command = &program;
  for (const std::string& name : names) {
    const CLI::App* next = find_subcommand(*command, name);
    if (next == nullptr) throw CLI::ValidationError(unknown_subcommand(*command, name));
    command = next;
  }
  return *command;
}

void write_schemas(const std::string& folder) {
  for (const Question& question : questions())
    write_output_file(folder + "/" + question.name + ".json", schemas_of(question).dump(2) + "\n");
}

int run(const HelpOptions& options, const CLI::App& program, const CLI::App& asked) {
  if (!options.schema.empty()) {
    std::cout << schemas_of(find_question(options.schema)).dump(2) << '\n';
  } else if (!options.schemas.empty()) {
    write_schemas(options.schemas);
  } else if (!options.man_pages.empty()) {
    write_man_pages(program, "kindred " KINDRED_VERSION, options.man_pages);
  } else {
    std::cout << asked.get_formatter()->make_help(&asked, full_name(asked),
                                                  CLI::AppFormatMode::Normal);
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
      .add_option("--man-pages", options->man_pages,
                  "Write a man page for each command into this folder")
      ->type_name("DIR")
      ->check(not_empty("a folder"));
  command
      .add_option("--schema", options->schema,
                  "Print JSON Schemas of the request and the answer of a question")
      ->type_name("QUESTION");
  command
      .add_option("--schemas", options->schemas, "Write those of all questions into this folder")
      ->type_name("DIR")
      ->check(not_empty("a folder"));
  command.footer(kHelpFooter + 1);
  command.callback([options, &program, &action] {
    const CLI::App& asked = find_command(program, options->command);
    action = [options, &program, &asked] { return run(*options, program, asked); };
  });
}

}  // namespace kindred::cli
