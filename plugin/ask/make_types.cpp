// The structs of the table of questions, as C++ declares them.
#include "config/shown.h"
#include "plugin/ask/make_questions.h"

namespace kindred {
namespace {

using Type = Shape::Type;

std::string literal(const Json& value) {
  if (value.is_array()) return "{}";
  if (value.is_string() && value.get<std::string>().empty()) return "{}";
  return value.dump();
}

std::string initializer(const Shape& member) {
  if (!member.initial.is_null()) return " = " + literal(member.initial);
  if (is_optional_member(member) || (member.is_nullable && !has_null_value(member))) return " = {}";
  if (member.type == Type::kWhole) return " = 0";
  if (member.type == Type::kNumber) return " = 0";
  return member.type == Type::kFlag ? " = false" : "";
}

/// The sentence of a key, with its range and its words.
std::string comment(const Shape& member) {
  std::string text = member.meaning;
  const auto add = [&](const std::string& more) {
    append_item(text, more, "; ");
  };
  if (!member.low.is_null() && member.kind != "docid")
    add((member.is_above ? "above " : "from ") + member.low.dump() + " to " + member.high.dump());
  std::string words;
  for (const std::string& word : member.words) append_item(words, word);
  if (!words.empty()) add("one of " + words);
  return text;
}

void write_struct(const QuestionStruct& made, const std::string& indent, std::ostream& out) {
  std::string bases = made.bases;
  for_each_member(
      made, [](const Shape&) {},
      [&](const Shape& member) {
        if (!member.is_part_optional) append_item(bases, camel(member.part_of));
      });
  out << "\n" << indent << "struct " << made.name << (bases.empty() ? "" : " : " + bases) << " {\n";
  for (const Shape& member : made.shape->members) {
    const Shape& inner = innermost(member);
    if (member.part_of.empty() && is_nested(inner))
      write_struct({camel(member.name), &inner, ""}, indent + "  ", out);
  }
  for_each_member(
      made,
      [&](const Shape& member) {
        const std::string said = comment(member);
        if (!said.empty()) out << indent << "  /// " << said << "\n";
        out << indent << "  " << member_type(member) << " " << member.name << initializer(member)
            << ";\n";
      },
      [&](const Shape& member) {
        if (member.is_part_optional)
          out << indent << "  "
              << "std::optional<" << camel(member.part_of) << ">"
              << " " << member.part_of << ";\n";
      });
  out << indent << "};\n";
}

}  // namespace

void write_types(const QuestionStructs& structs, std::ostream& out) {
  out << "#pragma once\n\n// Made of plugin/ask/questions.txt by make_questions.\n\n"
         "#include <cstdint>\n#include <optional>\n#include <string>\n#include <utility>\n"
         "#include <vector>\n\n#include \"plugin/documents/stored_document.h\"\n"
         "#include \"plugin/input/example.h\"\n#include \"plugin/store/origin.h\"\n\n"
         "namespace kindred::api {\n";
  for (const QuestionStruct& each : structs.outer()) write_struct(each, "", out);
  out << "\n}  // namespace kindred::api\n";
}

}  // namespace kindred
