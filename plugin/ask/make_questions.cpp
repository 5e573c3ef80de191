// Writes what is made of the table of questions: a struct for each type, request and answer, whose
// members are the keys, and what reads them from JSON and writes them; in Python, a dataclass for
// each of them that answers have.
//
// usage: make_questions QUESTIONS.TXT types|declarations|definitions|python
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "plugin/ask/question_table.h"

using kindred::Json;
using kindred::Question;
using kindred::QuestionTable;
using kindred::Shape;

namespace {

using Type = Shape::Type;

/// "related_document" as "RelatedDocument".
std::string camel(const std::string& words) {
  std::string name;
  bool is_first = true;
  for (const char c : words) {
    if (c == '_') {
      is_first = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    name += static_cast<char>(is_first ? std::toupper(letter) : letter);
    is_first = false;
  }
  return name;
}

/// "number or null" is a double that is not finite for null, so it needs no std::optional.
bool has_null_value(const Shape& shape) { return shape.type == Type::kNumber && shape.is_nullable; }

/// The keys that stand below a key are a struct of its own inside the struct.
bool is_nested(const Shape& shape) { return shape.type == Type::kObject && shape.kind == "object"; }

/// What the elements of lists of lists and maps are in the end.
const Shape& innermost(const Shape& shape) {
  const bool is_outer = shape.type == Type::kList || shape.type == Type::kMap;
  return is_outer ? innermost(shape.members.front()) : shape;
}

std::string optional(const std::string& type) { return "std::optional<" + type + ">"; }

std::string type_of(const Shape& shape, const std::string& key);

/// The C++ type of a value, without what says that it may be missing or null.
std::string plain_type(const Shape& shape, const std::string& key) {
  switch (shape.type) {
    case Type::kAny:
      return "JsonText";
    case Type::kText:
    case Type::kName:
    case Type::kQuery:
      return "std::string";
    case Type::kWhole:
      if (shape.kind == "docid") return "std::uint32_t";
      return shape.low.is_null() ? "std::uint64_t" : "std::int64_t";
    case Type::kNumber:
      return shape.kind == "float" ? "float" : "double";
    case Type::kFlag:
      return "bool";
    case Type::kList:
      return "std::vector<" + type_of(shape.members.front(), key) + ">";
    case Type::kMap:
      return "std::vector<std::pair<std::string, " + type_of(shape.members.front(), key) + ">>";
    case Type::kObject:
      return camel(is_nested(shape) ? key : shape.kind);
  }
  return "";
}

std::string type_of(const Shape& shape, const std::string& key) {
  const std::string type = plain_type(shape, key);
  return shape.is_nullable && !has_null_value(shape) ? optional(type) : type;
}

/// True for a key that is a std::optional since it may be missing: one with a default never is.
bool is_optional_member(const Shape& member) {
  return member.is_optional && member.initial.is_null();
}

std::string member_type(const Shape& member) {
  const std::string type = type_of(member, member.name);
  return is_optional_member(member) ? optional(type) : type;
}

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
    text += (text.empty() ? "" : "; ") + more;
  };
  if (!member.low.is_null() && member.kind != "docid")
    add((member.is_above ? "above " : "from ") + member.low.dump() + " to " + member.high.dump());
  std::string words;
  for (const std::string& word : member.words) words += (words.empty() ? "one of " : ", ") + word;
  if (!words.empty()) add(words);
  return text;
}

/// The type of a value in Python. `owner` is the class that has it under the key.
std::string python_type(Shape shape, const std::string& owner, const std::string& key) {
  static const std::map<std::string, std::string> kPlain = {
      {"any", "Any"},      {"text", "str"},    {"query", "str"},
      {"whole", "int"},    {"docid", "int"},   {"flag", "bool"},
      {"number", "float"}, {"float", "float"}, {"share", "float"}};
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

/// A struct of the table under the name that it has in C++.
struct Struct {
  std::string name;  ///< "RelatedAnswer", or "StatusAnswer::Analysis"
  const Shape* shape;
  std::string bases;
};

class Maker {
 public:
  explicit Maker(const QuestionTable& table) : table_(table) {
    for (const Shape& type : table.types) {
      if (!type.is_by_hand && type.kind != "envelope")
        structs_.push_back({camel(type.kind), &type, ""});
    }
    for (const Question& question : table.questions) {
      structs_.push_back({camel(question.name) + "Request", &question.request, ""});
      structs_.push_back({camel(question.name) + "Answer", &question.answer, "Origin"});
      find(question.request, camel(question.name) + "Request", read_);
      find(question.answer, camel(question.name) + "Answer", written_);
    }
  }

  void write_types() const {
    std::cout << "#pragma once\n\n// Made of plugin/ask/questions.txt by make_questions.\n\n"
                 "#include <cstdint>\n#include <optional>\n#include <string>\n#include <utility>\n"
                 "#include <vector>\n\n#include \"plugin/documents/stored_document.h\"\n"
                 "#include \"plugin/input/example.h\"\n#include \"plugin/store/origin.h\"\n\n"
                 "namespace kindred::api {\n";
    for (const Struct& each : structs_) write_struct(each, "");
    std::cout << "\n}  // namespace kindred::api\n";
  }

  void write_declarations() const {
    std::cout << "#pragma once\n\n// Made of plugin/ask/questions.txt by make_questions.\n\n"
                 "#include \"plugin/ask/json_values.h\"\n#include \"plugin/questions.h\"\n\n"
                 "namespace kindred {\n\n";
    for_each_struct(read_, [](const Struct& one) {
      std::cout << "template <>\n" << reader(one) << ";\n";
    });
    std::cout << "\nnamespace api {\n\n";
    for_each_struct(written_, [](const Struct& one) {
      std::cout << writer(one) << ";\n";
    });
    std::cout << "\n}  // namespace api\n}  // namespace kindred\n";
  }

  void write_definitions() const {
    std::cout << "// Made of plugin/ask/questions.txt by make_questions.\n"
                 "#include \"questions_json.h\"\n\nnamespace kindred {\n";
    for_each_struct(read_, define_reader);
    std::cout << "\nnamespace api {\n";
    for_each_struct(written_, define_writer);
    std::cout << "\n}  // namespace api\n}  // namespace kindred\n";
  }

  void write_python() const {
    std::cout
        << "# Made of plugin/ask/questions.txt by make_questions.\n"
           "\"\"\"Answers and their parts as dataclasses. A key that an answer lacks is None, or "
           "empty.\"\"\"\n\nfrom __future__ import annotations\n\n"
           "from typing import Any, Optional\n\nfrom .rows import *\n"
           "from .rows import Row, empty, none, row\n";
    std::string all;
    for_each_struct(written_, [&](const Struct& one) {
      std::string name = one.name, fields, defaults;
      std::erase(name, ':');
      all += (all.empty() ? "\"" : ",\n           \"") + name + "\"";
      for (const Shape& member : one.shape->members)
        (member.is_optional ? defaults : fields) += python_field(member, name);
      std::cout << "\n\n@row\nclass " << name << "(Row):\n" << fields << defaults;
    });
    std::cout << "\n\n__all__ = [" << all << "]\n";
  }

 private:
  /// The members that an object has itself, and before the first of each "+ TYPE" that type.
  template <typename OnMember, typename OnPart>
  static void for_each_member(const Shape& object, OnMember&& on_member, OnPart&& on_part) {
    std::string part;
    for (const Shape& member : object.members) {
      if (member.part_of.empty()) on_member(member);
      if (!member.part_of.empty() && member.part_of != part) on_part(member);
      part = member.part_of;
    }
  }

  /// Calls visit() for a struct and, before it, for those inside it.
  template <typename Visit>
  static void for_each_inside(const Struct& outer, Visit&& visit) {
    for (const Shape& member : outer.shape->members) {
      const Shape& inner = innermost(member);
      if (member.part_of.empty() && is_nested(inner))
        for_each_inside(Struct{outer.name + "::" + camel(member.name), &inner, ""}, visit);
    }
    visit(outer);
  }

  /// Calls visit() for each of these structs.
  template <typename Visit>
  void for_each_struct(const std::set<std::string>& names, Visit&& visit) const {
    for (const Struct& each : structs_) {
      for_each_inside(each, [&](const Struct& one) {
        if (names.contains(one.name)) visit(one);
      });
    }
  }

  static void write_struct(const Struct& made, const std::string& indent) {
    std::string bases = made.bases;
    for_each_member(
        *made.shape, [](const Shape&) {},
        [&](const Shape& member) {
          if (!member.is_part_optional)
            bases += (bases.empty() ? "" : ", ") + camel(member.part_of);
        });
    std::cout << "\n"
              << indent << "struct " << made.name << (bases.empty() ? "" : " : " + bases) << " {\n";
    for (const Shape& member : made.shape->members) {
      const Shape& inner = innermost(member);
      if (member.part_of.empty() && is_nested(inner))
        write_struct({camel(member.name), &inner, ""}, indent + "  ");
    }
    for_each_member(
        *made.shape,
        [&](const Shape& member) {
          const std::string said = comment(member);
          if (!said.empty()) std::cout << indent << "  /// " << said << "\n";
          std::cout << indent << "  " << member_type(member) << " " << member.name
                    << initializer(member) << ";\n";
        },
        [&](const Shape& member) {
          if (member.is_part_optional)
            std::cout << indent << "  " << optional(camel(member.part_of)) << " " << member.part_of
                      << ";\n";
        });
    std::cout << indent << "};\n";
  }

  // The structs that requests hold are read, those that answers hold are written.

  void find(const Shape& object, const std::string& name, std::set<std::string>& found) {
    if (!found.insert(name).second) return;
    for (const Shape& member : object.members) {
      const Shape& inner = innermost(member);
      if (!member.part_of.empty()) find(table_.type(member.part_of), camel(member.part_of), found);
      if (!member.part_of.empty() || inner.type != Type::kObject) continue;
      find(inner, is_nested(inner) ? name + "::" + camel(member.name) : camel(inner.kind), found);
    }
  }

  static std::string reader(const Struct& one) {
    const std::string type = "api::" + one.name;
    return type + " from_json<" + type + ">(const Json& json, const std::string& place)";
  }

  static std::string writer(const Struct& one) {
    return "void add_json(const " + one.name + "& value, const Pulse& pulse, Json& json)";
  }

  /// An expression that reads the value `json` of this shape at `place`.
  static std::string read(const Shape& shape, const std::string& owner, const std::string& key) {
    if (shape.type == Type::kName) return "read_name(json.get<std::string>())";
    if (shape.type == Type::kAny) return "JsonText{json.dump()}";
    if (shape.type == Type::kObject) {
      const bool is_made = !shape.is_by_hand;
      return std::string("from_json<") + (is_made ? "api::" : "") +
             (is_nested(shape) ? owner + "::" : "") + plain_type(shape, key) + ">(json, place)";
    }
    if (shape.type != Type::kList) return "json.get<" + plain_type(shape, key) + ">()";
    return "read_list(json, place, [](const Json& json, const std::string& place) "
           "{ return " +
           read(shape.members.front(), owner, key) + "; })";
  }

  static void define_reader(const Struct& one) {
    std::cout << "\ntemplate <>\n" << reader(one) << " {\n  api::" << one.name << " value;\n";
    for (const Shape& member : one.shape->members) {
      std::cout << "  read_key(json, place, \"" << member.name << "\", [&](const Json& json, "
                << "const std::string& place) { value." << member.name << " = "
                << read(member, one.name, member.name) << "; });\n";
    }
    std::cout << "  return value;\n}\n";
  }

  /// An expression that writes `value`, which is of this shape.
  static std::string written(const Shape& shape, const std::string& value) {
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

  static void define_writer(const Struct& one) {
    std::cout << "\nvoid add_json(const " << one.name
              << "& value, const Pulse& pulse, Json& json) {\n";
    for_each_member(
        *one.shape,
        [&](const Shape& member) {
          const std::string at = "value." + member.name;
          const bool is_optional = is_optional_member(member);
          std::cout << (is_optional ? "  if (" + at + ")\n    " : "  ") << "add_key(json, \""
                    << member.name << "\", " << written(member, is_optional ? "*" + at : at)
                    << ");\n";
        },
        [&](const Shape& member) {
          const std::string type = camel(member.part_of);
          if (member.is_part_optional) {
            std::cout << "  if (value." << member.part_of << ") add_json(*value." << member.part_of
                      << ", pulse, json);\n";
          } else {
            std::cout << "  add_json(static_cast<const " << type << "&>(value), pulse, json);\n";
          }
        });
    std::cout << "}\n";
  }

  const QuestionTable& table_;
  std::vector<Struct> structs_;  ///< in the order of their declaration
  std::set<std::string> read_, written_;
};

}  // namespace

int main(int argc, char* argv[]) {
  std::ifstream file(argc == 3 ? argv[1] : "");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) {
    std::cerr << "usage: make_questions QUESTIONS.TXT types|declarations|definitions|python\n";
    return 2;
  }
  const QuestionTable table = kindred::read_question_table(text);
  const Maker maker(table);
  const std::string what = argv[2];
  if (what == "types") maker.write_types();
  if (what == "declarations") maker.write_declarations();
  if (what == "definitions") maker.write_definitions();
  if (what == "python") maker.write_python();
  return std::cout.flush().good() ? 0 : 1;
}
