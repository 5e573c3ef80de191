#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "plugin/ask/question.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"

namespace kindred::cli {

/// Adds an option for each of these keys of a question (plugin/ask/questions.txt): a flag, a value
/// that is checked, or for a list one that may be given several times. It sets the key of
/// `request`. "dry_run" is --dry-run. `group`: a heading of the help; "" for the usual one.
void add_keys(CLI::App& command, std::string_view question, Json& request,
              std::initializer_list<std::string_view> keys, const std::string& group = "");

/// Adds an option `name` for one key of an object, which it sets in `value`.
CLI::Option* add_key(CLI::App& command, const Shape& shape, Json& value, const std::string& name);

/// Adds an option for one key of a question under a name of its own, such as "--labels", or "LABEL"
/// for an argument.
CLI::Option* add_key(CLI::App& command, std::string_view question, Json& request,
                     std::string_view key, const std::string& name);

/// The heading of options that say how the vote is taken.
inline constexpr const char* kVoteGroup = "The vote";

/// What a command that asks one question has.
struct QuestionCommand {
  DatabaseOptions database;
  std::string question;
  Json request = Json::object();
  std::string done;               ///< as AskedDatabase() takes it
  std::string progress = "auto";  ///< alike
  std::string html;               ///< also write a page here; "": none
  bool tunes_first = false;       ///< by AskedDatabase::tune_if_needed()

  bool has_json() const { return database.common.json; }
};

/// Shows an answer to people.
using PrintAnswer = void (*)(const Json& answer, const QuestionCommand& command);

/// Asks, and prints the answer: as it is with --json, else by `print`. With --html, writes the
/// report of the question's name.
int answer(const QuestionCommand& command, PrintAnswer print);

/// Adds a subcommand that does so, with its description from the table of questions.
CLI::App& add_question(CLI::App& program, Action& action, const std::string& name,
                       const std::string& question, const std::string& done, PrintAnswer print,
                       const std::shared_ptr<QuestionCommand>& options);

}  // namespace kindred::cli
