#include "plugin/ask/question_structs.h"

#include <cctype>

namespace kindred {
namespace {

using Type = Shape::Type;

std::string optional(const std::string& type) { return "std::optional<" + type + ">"; }

std::string type_of(const Shape& shape, const std::string& key) {
  const std::string type = plain_type(shape, key);
  return shape.is_nullable && !has_null_value(shape) ? optional(type) : type;
}

/// Adds a struct to a list, and before it those inside it.
void add_with_inner(const QuestionStruct& outer, std::vector<QuestionStruct>& list) {
  for (const Shape& member : outer.shape->members) {
    const Shape& inner = innermost(member);
    if (member.part_of.empty() && is_nested(inner))
      add_with_inner({outer.name + "::" + camel(member.name), &inner, ""}, list);
  }
  list.push_back(outer);
}

}  // namespace

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

bool has_null_value(const Shape& shape) { return shape.type == Type::kNumber && shape.is_nullable; }

bool is_nested(const Shape& shape) { return shape.type == Type::kObject && shape.kind == "object"; }

const Shape& innermost(const Shape& shape) {
  const bool is_outer = shape.type == Type::kList || shape.type == Type::kMap;
  return is_outer ? innermost(shape.members.front()) : shape;
}

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

bool is_optional_member(const Shape& member) {
  return member.is_optional && member.initial.is_null();
}

std::string member_type(const Shape& member) {
  const std::string type = type_of(member, member.name);
  return is_optional_member(member) ? optional(type) : type;
}

QuestionStructs::QuestionStructs(const QuestionTable& table) : table_(table) {
  for (const Shape& type : table.types) {
    if (!type.is_by_hand && type.kind != "envelope")
      outer_.push_back({camel(type.kind), &type, ""});
  }

  for (const Question& question : table.questions) {
    const std::string name = camel(question.name);
    outer_.push_back({name + "Request", &question.request, ""});
    outer_.push_back({name + "Answer", &question.answer, "Origin"});
    find(question.request, name + "Request", read_);
    find(question.answer, name + "Answer", written_);
  }
}

/// Finds what an object holds, itself included.
void QuestionStructs::find(const Shape& object, const std::string& name,
                           std::set<std::string>& found) {
  if (!found.insert(name).second) return;
  for (const Shape& member : object.members) {
    const Shape& inner = innermost(member);
    if (!member.part_of.empty()) find(table_.type(member.part_of), camel(member.part_of), found);
    if (!member.part_of.empty() || inner.type != Type::kObject) continue;
    find(inner, is_nested(inner) ? name + "::" + camel(member.name) : camel(inner.kind), found);
  }
}

std::vector<QuestionStruct> QuestionStructs::with_inner(const std::set<std::string>& names) const {
  std::vector<QuestionStruct> list;
  for (const QuestionStruct& each : outer_) add_with_inner(each, list);
  std::erase_if(list, [&](const QuestionStruct& one) {
    return !names.contains(one.name);
  });
  return list;
}

}  // namespace kindred
