// What reads the structs of the table of questions from JSON, and writes them.
#include "plugin/ask/make_questions.h"

namespace kindred {
namespace {

using Type = Shape::Type;

std::string reader(const QuestionStruct& one) {
  const std::string type = "api::" + one.name;
  return type + " read_value<" + type + ">(const Json& json, const std::string& place)";
}

std::string writer(const QuestionStruct& one) {
  return "void add_json(const " + one.name + "& value, const Pulse& pulse, Json& json)";
}

/// An expression that reads the value `json` of this shape at `place`.
std::string read(const Shape& shape, const std::string& owner, const std::string& key) {
  if (shape.type == Type::kName) return "read_name(json.get<std::string>())";
  if (shape.type == Type::kAny) return "JsonText{json.dump()}";
  if (shape.type == Type::kObject) {
    const bool is_made = !shape.is_by_hand;
    return std::string("read_value<") + (is_made ? "api::" : "") +
           (is_nested(shape) ? owner + "::" : "") + plain_type(shape, key) + ">(json, place)";
  }
  if (shape.type != Type::kList) return "json.get<" + plain_type(shape, key) + ">()";
  return "read_list(json, place, [](const Json& json, const std::string& place) "
         "{ return " +
         read(shape.members.front(), owner, key) + "; })";
}

void define_reader(const QuestionStruct& one, std::ostream& out) {
  out << "\ntemplate <>\n" << reader(one) << " {\n  api::" << one.name << " value;\n";
  for (const Shape& member : one.shape->members) {
    out << "  read_key(json, place, \"" << member.name << "\", [&](const Json& json, "
        << "const std::string& place) { value." << member.name << " = "
        << read(member, one.name, member.name) << "; });\n";
  }
  out << "  return value;\n}\n";
}

/// An expression that writes `value`, which is of this shape.
std::string written(const Shape& shape, const std::string& value) {
  if (shape.is_nullable && !has_null_value(shape)) {
    Shape inner = shape;
    inner.is_nullable = false;
    return "or_null(" + value + ", [&](const auto& value) -> Json { return " +
           written(inner, "value") + "; })";
  }
  switch (shape.type) {
    case Type::kName:
      return "written_name(" + value + ")";
    case Type::kText:
    case Type::kQuery:
      return "text_json(" + value + ")";
    case Type::kAny:
      return "Json::parse(" + value + ".text)";
    case Type::kNumber:
      if (shape.kind == "share") return "share_json(" + value + ")";
      if (shape.kind == "float") return "shortest(" + value + ")";
      return shape.is_nullable ? "number_json(" + value + ")" : value;
    case Type::kList:
    case Type::kMap:
      return std::string(shape.type == Type::kList ? "list_json(" : "map_json(") + value +
             ", pulse, [&](const auto& value) -> Json { return " +
             written(shape.members.front(), "value") + "; })";
    case Type::kObject:
      return "object_json(" + value + ", pulse)";
    default:
      return value;
  }
}

void define_writer(const QuestionStruct& one, std::ostream& out) {
  out << "\nvoid add_json(const " << one.name << "& value, const Pulse& pulse, Json& json) {\n";
  for_each_member(
      one,
      [&](const Shape& member) {
        const std::string at = "value." + member.name;
        const bool is_optional = is_optional_member(member);
        out << (is_optional ? "  if (" + at + ")\n    " : "  ") << "add_key(json, \"" << member.name
            << "\", " << written(member, is_optional ? "*" + at : at) << ");\n";
      },
      [&](const Shape& member) {
        const std::string type = camel(member.part_of);
        if (member.is_part_optional) {
          out << "  if (value." << member.part_of << ") add_json(*value." << member.part_of
              << ", pulse, json);\n";
        } else {
          out << "  add_json(static_cast<const " << type << "&>(value), pulse, json);\n";
        }
      });
  out << "}\n";
}

}  // namespace

void write_json_header(const QuestionStructs& structs, std::ostream& out) {
  out << "#pragma once\n\n// Made of plugin/ask/questions.txt by make_questions.\n\n"
         "#include \"plugin/ask/json_values.h\"\n#include \"plugin/questions.h\"\n\n"
         "namespace kindred {\n\n";
  for (const QuestionStruct& one : structs.read()) out << "template <>\n" << reader(one) << ";\n";
  out << "\nnamespace api {\n\n";
  for (const QuestionStruct& one : structs.written()) out << writer(one) << ";\n";
  out << "\n}  // namespace api\n}  // namespace kindred\n";
}

void write_json_source(const QuestionStructs& structs, std::ostream& out) {
  out << "// Made of plugin/ask/questions.txt by make_questions.\n"
         "#include \"questions_json.h\"\n\nnamespace kindred {\n";
  for (const QuestionStruct& one : structs.read()) define_reader(one, out);
  out << "\nnamespace api {\n";
  for (const QuestionStruct& one : structs.written()) define_writer(one, out);
  out << "\n}  // namespace api\n}  // namespace kindred\n";
}

}  // namespace kindred
