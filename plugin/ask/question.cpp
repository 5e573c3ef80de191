#include "plugin/ask/question.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "config/error.h"
#include "config/json_extent.h"
#include "config/shown.h"
#include "questions.h"

namespace kindred {
namespace {

using Type = Shape::Type;

const QuestionTable& table() {
  static const QuestionTable table = read_question_table(kQuestionTable);
  return table;
}

Json schema_of(const Shape& shape) {
  static constexpr const char* kNames[] = {nullptr,  "string",  "string", "string", "integer",
                                           "number", "boolean", "array",  "object", "object"};
  Json schema = Json::object();
  if (!shape.meaning.empty()) schema["description"] = shape.meaning;
  if (const char* name = kNames[static_cast<std::size_t>(shape.type)])
    schema["type"] = shape.is_nullable ? Json({name, "null"}) : Json(name);
  if (!shape.words.empty()) schema["enum"] = shape.words;
  if (!shape.low.is_null()) schema[shape.is_above ? "exclusiveMinimum" : "minimum"] = shape.low;
  if (!shape.high.is_null()) schema["maximum"] = shape.high;
  if (!shape.initial.is_null()) schema["default"] = shape.initial;
  if (shape.type == Type::kList) schema["items"] = schema_of(shape.members.front());
  if (shape.type == Type::kMap) schema["additionalProperties"] = schema_of(shape.members.front());
  if (shape.type != Type::kObject) return schema;
  schema["properties"] = Json::object();
  schema["required"] = Json::array();
  for (const Shape& member : shape.members) {
    schema["properties"][member.name] = schema_of(member);
    if (!member.is_optional) schema["required"].push_back(member.name);
  }
  schema["additionalProperties"] = shape.others ? schema_of(*shape.others) : Json(false);
  return schema;
}

std::string in_short(const Json& value) {
  constexpr std::size_t kMost = 40;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

bool fits(const Shape& shape, const Json& value) {
  const auto is_within = [&] {
    return (shape.low.is_null() || (shape.is_above ? value > shape.low : value >= shape.low)) &&
           (shape.high.is_null() || value <= shape.high);
  };
  switch (shape.type) {
    case Type::kAny:
      return true;
    case Type::kText:
    case Type::kName:
    case Type::kQuery:
      return value.is_string() &&
             (shape.words.empty() ||
              std::ranges::find(shape.words, value.get<std::string>()) != shape.words.end());
    case Type::kWhole:
      return value.is_number_integer() && is_within();
    case Type::kNumber:
      return value.is_number() && is_within();
    case Type::kFlag:
      return value.is_boolean();
    case Type::kList:
      return value.is_array();
    case Type::kMap:
    case Type::kObject:
      return value.is_object();
  }
  return false;
}

[[noreturn]] void refuse(const std::string& fault) { throw Error(Errc::kInvalidArgument, fault); }

Json understood_object(const Shape& shape, const Json& given, const std::string& place) {
  for (const auto& [name, value] : given.items()) {
    if (shape.has_key(name)) continue;
    std::vector<std::string> names;
    for (const Shape& member : shape.members) names.push_back(member.name);
    const std::string likely = likely_of(name, names);
    const std::string hint = likely.empty() ? "" : "; did you mean '" + likely + "'?";
    refuse(std::string(place)
               .append(": unknown key '")
               .append(shortened(name))
               .append("'")
               .append(hint));
  }
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(shape.members.size());  // to grow, it would copy all
  for (const Shape& member : shape.members) {
    const auto found = given.find(member.name);
    if (found != given.end() && !found->is_null()) {
      object[member.name] = understood(member, *found, place + "." + member.name);
    } else if (!member.initial.is_null()) {
      object[member.name] = member.initial;
    } else if (!member.is_optional) {
      refuse(place + "." + member.name + ": is missing; expected " + expected(member));
    }
  }
  return object;
}

}  // namespace

std::string_view question_table() { return kQuestionTable; }

std::vector<Question> read_questions(std::string_view table) {
  return read_question_table(table).questions;
}

const std::vector<Question>& questions() { return table().questions; }

const Question& find_question(std::string_view name) {
  std::vector<std::string> names;
  for (const Question& question : questions()) {
    if (question.name == name) return question;
    names.push_back(question.name);
  }
  refuse("there is no question '" + shortened(name) + "'; did you mean '" +
         nearest_of(name, names, 1)[0] + "'?");
}

Json schemas_of(const Question& question) {
  Shape wrapped = table().type("envelope");
  wrapped.members.insert(wrapped.members.end() - 1, question.answer.members.begin(),
                         question.answer.members.end());
  Json answer = schema_of(wrapped), request = schema_of(question.request);
  for (Json* schema : {&request, &answer}) {
    (*schema)["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    (*schema)["description"] = question.meaning;
  }
  return {{"request", std::move(request)}, {"answer", std::move(answer)}};
}

std::string expected(const Shape& shape) {
  const auto range = [&] {
    if (shape.low.is_null()) return std::string();
    if (shape.is_above) return " above " + shape.low.dump() + ", at most " + shape.high.dump();
    return " from " + shape.low.dump() + " to " + shape.high.dump();
  };
  switch (shape.type) {
    case Type::kWhole:
      return "a whole number" + range();
    case Type::kNumber:
      return "a number" + range();
    case Type::kFlag:
      return "true or false";
    case Type::kList:
      return "a list";
    case Type::kMap:
    case Type::kObject:
      return "an object";
    default:
      break;
  }
  std::string words;
  for (const std::string& word : shape.words) append_item(words, word);
  return words.empty() ? "a text" : "one of " + words;
}

Json understood(const Shape& shape, const Json& given, const std::string& place) {
  if (!fits(shape, given))
    refuse(place + ": expected " + expected(shape) + ", found " + in_short(given));
  if (shape.type == Type::kObject) return understood_object(shape, given, place);
  if (shape.type != Type::kList) return given;
  Json list = Json::array();
  for (const Json& element : given)
    list.push_back(understood(shape.members.front(), element,
                              place + "[" + std::to_string(list.size()) + "]"));
  return list;
}

Json parse_json(std::string_view text) {
  constexpr std::size_t kMostDepth = 64, kMostKeys = 5000, kMostStructures = 50'000;
  const JsonExtent extent = json_extent(text);
  if (extent.depth > kMostDepth) refuse("the request is nested more than 64 levels deep");
  if (extent.keys > kMostKeys) refuse("the request has an object of more than 5000 keys");
  if (extent.structures > kMostStructures)
    refuse("the request has more than 50000 lists and objects");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    refuse("the request is not JSON, at byte " + std::to_string(e.byte));
  } catch (const Json::out_of_range&) {
    refuse("the request has a number that no double can hold");
  }
}

}  // namespace kindred
