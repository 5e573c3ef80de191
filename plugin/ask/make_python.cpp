// The structs of answers, as Python's dataclasses.
#include <map>

#include "config/shown.h"
#include "plugin/ask/make_questions.h"

namespace kindred {
namespace {

using Type = Shape::Type;

/// The type of a value in Python. `owner` is the class that has it under the key.
std::string python_type(Shape shape, const std::string& owner, const std::string& key) {
  static const std::map<std::string, std::string> kPlain = {
      {"any", "Any"},     {"text", "str"},   {"query", "str"},          {"whole", "int"},
      {"docid", "int"},   {"flag", "bool"},  {"number", "float"},       {"float", "float"},
      {"share", "float"}, {"label", "Name"}, {"name of a label", "str"}};
  if (std::exchange(shape.is_nullable, false))
    return "Optional[" + python_type(shape, owner, key) + "]";
  if (shape.type == Type::kList || shape.type == Type::kMap) {
    const Shape& inner = shape.members.front();
    const bool is_row = inner.type == Type::kObject;
    const std::string outer = is_row ? "Rows[" : "list[";
    return (shape.type == Type::kMap ? "dict[str, " : outer) + python_type(inner, owner, key) + "]";
  }
  if (is_nested(shape)) return owner + camel(key);
  const auto plain = kPlain.find(shape.kind);
  return plain == kPlain.end() ? camel(shape.kind) : plain->second;
}

/// A member of a dataclass. What an answer may lack is None or empty.
std::string python_field(const Shape& member, const std::string& owner) {
  std::string type = python_type(member, owner, member.name);
  if (member.is_optional && member.type == Type::kList) type += " = none()";
  if (member.is_optional && member.type == Type::kMap) type += " = empty()";
  if (member.is_optional && !type.ends_with(')'))
    type = (member.is_nullable ? type : "Optional[" + type + "]") + " = None";
  const std::string said = member.meaning.empty() ? "" : "  # " + member.meaning;
  return "    " + member.name + ": " + type + said + "\n";
}

}  // namespace

void write_python(const QuestionStructs& structs, std::ostream& out) {
  out << "# Made of plugin/ask/questions.txt by make_questions.\n"
         "\"\"\"Answers and their parts as dataclasses. A key that an answer lacks is None, or "
         "empty.\"\"\"\n\nfrom __future__ import annotations\n\n"
         "from typing import Any, Optional\n\nfrom .rows import *\n"
         "from .rows import Row, empty, none, row\n";
  std::string all;
  for (const QuestionStruct& one : structs.written()) {
    std::string name = one.name, fields, defaults;
    std::erase(name, ':');
    append_item(all, '"' + name + '"', ",\n           ");
    for (const Shape& member : one.shape->members)
      (member.is_optional ? defaults : fields) += python_field(member, name);
    out << "\n\n@row\nclass " << name << "(Row):\n" << fields << defaults;
  }
  out << "\n\n__all__ = [" << all << "]\n";
}

}  // namespace kindred
