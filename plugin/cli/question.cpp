#include "plugin/cli/question.h"

#include <algorithm>
#include <cctype>
#include <iostream>

#include "config/error.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/output/output_file.h"

namespace kindred::cli {
namespace {

using Type = Shape::Type;

/// "dry_run" as "--dry-run".
std::string option_name(const Shape& shape) {
  std::string name = shape.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

/// "Only documents ...; default 20".
std::string description_of(const Shape& shape) {
  std::string text = shape.meaning;
  const bool has_default = shape.initial.is_number() || !shape.words.empty();
  if (has_default && !shape.initial.is_null()) text += "; default " + text_of(shape.initial);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

const char* type_name(const Shape& shape) {
  switch (shape.type) {
    case Type::kQuery:
      return "QUERY";
    case Type::kWhole:
      return "N";
    case Type::kNumber:
      return "X";
    default:
      return shape.words.empty() ? "TEXT" : "NAME";
  }
}

bool is_number(Type type) { return type == Type::kWhole || type == Type::kNumber; }

/// A text that has passed its check.
Json value_of(const std::string& text, Type type) {
  if (is_number(type)) return number_in(text, type);
  if (type == Type::kName) return written_name(text);
  return text;
}

}  // namespace

CLI::Option* add_key(CLI::App& command, const Shape& shape, Json& value, const std::string& name) {
  const std::string description = description_of(shape);

  // A flag, a list that is given item by item, or one value: each is written into the request as it
  // is read, in the type of its key.
  if (shape.type == Type::kFlag) {
    return command.add_flag_callback(
        name,
        [&value, key = shape.name] {
          value[key] = true;
        },
        description);
  }

  if (shape.type == Type::kList) {
    CLI::Option* const option = command.add_option_function<std::vector<std::string>>(
        name,
        [&value, key = shape.name,
         type = shape.members.front().type](const std::vector<std::string>& texts) {
          for (const std::string& text : texts) value[key].push_back(value_of(text, type));
        },
        description);
    return option->allow_extra_args(false)->type_name(type_name(shape.members.front()));
  }

  CLI::Option* const option = command.add_option_function<std::string>(
      name,
      [&value, key = shape.name, type = shape.type](const std::string& text) {
        value[key] = value_of(text, type);
      },
      description);

  // The same check that the question makes, so that a fault is one of the command line.

  option->type_name(type_name(shape));
  if (!shape.words.empty()) option->check(one_of(shape.words));
  if (is_number(shape.type)) option->transform(fitting(shape));

  return option;
}

CLI::Option* add_key(CLI::App& command, std::string_view question, Json& request,
                     std::string_view key, const std::string& name) {
  return add_key(command, find_question(question).request.key(key), request, name);
}

void add_keys(CLI::App& command, std::string_view question, Json& request,
              std::initializer_list<std::string_view> keys, const std::string& group) {
  const Shape& all = find_question(question).request;
  for (const std::string_view key : keys) {
    CLI::Option* const option = add_key(command, question, request, key, option_name(all.key(key)));
    if (!group.empty()) option->group(group);
  }
}

int answer(const QuestionCommand& command, PrintAnswer print) {
  // The tuning first, because the answer follows it.
  AskedDatabase database(command.database, command.progress, command.done);
  if (command.tunes_first) database.tune_if_needed();

  const Json answered = database.answer(command.question, command.request);
  if (!command.html.empty())
    write_report(command.html, command.question, command.database.database, answered);

  if (!command.has_json()) print(answered, command);
  return kGood;
}

CLI::App& add_question(CLI::App& program, Action& action, const std::string& name,
                       const std::string& question, const std::string& done, PrintAnswer print,
                       const std::shared_ptr<QuestionCommand>& options) {
  CLI::App& command = *program.add_subcommand(name, find_question(question).meaning);

  options->question = question;
  options->done = done;
  add_database_options(command, options->database);

  command.callback([options, print, &action] {
    action = [options, print] {
      return answer(*options, print);
    };
  });
  return command;
}

}  // namespace kindred::cli
