#include "plugin/cli/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

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

std::string joined(const std::vector<std::string>& words) {
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

Footer footer_of(const CommandDescription& command) {
  Footer footer;
  std::istringstream lines(command.footer);
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

std::string synopsis(const CommandDescription& command) {
  std::string text = bold(command.name);
  if (!command.subcommands.empty()) text += " " + italic("COMMAND");
  text += " [" + italic("OPTIONS") + "]";
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name = italic(option.names[0]) + (option.is_list ? "..." : "");
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string option_entry(const OptionDescription& option) {
  std::string entry = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i)
    entry += (i == 0 ? "" : ", ") +
             (option.is_argument ? italic(option.names[i]) : bold(option.names[i]));
  if (!option.value.empty() && !option.is_argument)
    entry +=
        option.is_value_optional ? "[=" + italic(option.value) + "]" : " " + italic(option.value);
  entry += "\n" + roff(option.description) + ".\n";
  const auto add = [&](const std::string& what, const std::string& text) {
    if (!text.empty()) entry += what + roff(text) + ".\n";
  };
  if (option.is_required && !option.is_argument) entry += "Required.\n";
  if (option.is_list) entry += "May be given several times.\n";
  add("One of ", joined(option.choices));
  add(option.is_value_optional ? "Without a value: " : "Default: ", option.default_text);
  add("Needs ", joined(option.needs));
  add("Not with ", joined(option.excludes));
  return entry;
}

std::string options_of(const CommandDescription& command) {
  std::vector<std::string> headings;
  for (const OptionDescription& option : command.options) {
    if (std::find(headings.begin(), headings.end(), option.heading) == headings.end())
      headings.push_back(option.heading);
  }
  std::string text;
  for (const std::string& heading : headings) {
    std::string title = heading;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += ".SH " + roff(title) + "\n";
    for (const OptionDescription& option : command.options)
      if (option.heading == heading) text += option_entry(option);
  }
  return text;
}

std::string subcommands_of(const CommandDescription& command) {
  if (command.subcommands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const CommandDescription& each : command.subcommands)
    text += ".TP\n" + bold(page_name(each.name)) + "(1)\n" + roff(each.description) + ".\n";
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

std::string man_page(const CommandDescription& command, const CommandDescription& program,
                     const std::string& version) {
  const Footer footer = footer_of(command);
  std::string title = page_name(command.name);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string page = ".TH " + roff(title) + " 1 \"\" \"" + version + "\" \"Kindred manual\"\n";
  page += ".SH NAME\n" + roff(page_name(command.name)) + " \\- " +
          roff(uncapitalized(command.description)) + "\n";
  page += ".SH SYNOPSIS\n" + synopsis(command);
  if (!footer.prose.empty()) page += ".SH DESCRIPTION\n" + footer.prose;
  page += subcommands_of(command) + options_of(command);
  if (!footer.examples.empty()) page += ".SH EXAMPLES\n.nf\n" + footer.examples + ".fi\n";
  if (&command == &program) page += kFiles;
  page += kExitStatus;
  if (&command != &program) page += ".SH SEE ALSO\n" + bold(program.name) + "(1)\n";
  return page;
}

void write_pages(const CommandDescription& command, const CommandDescription& program,
                 const std::string& version, const std::string& folder) {
  write_output_file(folder + "/" + page_name(command.name) + ".1",
                    man_page(command, program, version));
  for (const CommandDescription& each : command.subcommands)
    write_pages(each, program, version, folder);
}

}  // namespace

void write_man_pages(const CommandDescription& command, const std::string& version,
                     const std::string& folder) {
  write_pages(command, command, version, folder);
}

}  // namespace kindred::cli
