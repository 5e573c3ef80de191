#include "plugin/ask/question.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/error.h"
#include "config/json_extent.h"
#include "config/shown.h"
#include "questions.h"

namespace kindred {
namespace {

using Type = Shape::Type;

/// Takes what precedes `mark` off the front of a text, and the mark; the whole if there is none.
std::string_view split_off(std::string_view& text, std::string_view mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + mark.size(), text.size()));
  return front;
}

/// True, and it is taken off, if the text begins with `mark`.
bool consume(std::string_view& text, std::string_view mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(mark.size());
  return true;
}

struct Table {
  std::vector<Question> questions;
  Shape envelope;  ///< of every answer
};

/// Reads the table of questions, whose form its heading describes.
class TableReader {
 public:
  explicit TableReader(std::string_view text) {
    while (!text.empty()) {
      std::string_view line = split_off(text, "\n");
      if (line.empty() || line.front() == '#') continue;
      const std::size_t indent = line.find_first_not_of(' ');
      lines_.push_back({indent, line.substr(indent)});
    }
  }

  Table read() {
    Table table;
    while (at_ < lines_.size()) {
      std::string_view head = lines_[at_++].text;
      if (consume(head, "type ")) {
        types_[std::string(head)] = object(1);
        continue;
      }
      consume(head, "question ");
      Question& question = table.questions.emplace_back();
      question.name = split_off(head, ": ");
      question.meaning = head;
      ++at_;  // "request"
      question.request = object(2);
      ++at_;  // "answer"
      question.answer = object(2);
    }
    table.envelope = types_.at("envelope");
    return table;
  }

 private:
  struct Line {
    std::size_t indent;
    std::string_view text;
  };

  Shape object(std::size_t indent) {
    Shape object;
    object.type = Type::kObject;
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      if (lines_[at_].text.front() == '+') {
        add_type(lines_[at_++].text, object);
        continue;
      }
      Shape shape = key(lines_[at_++].text);
      const bool has_keys = at_ < lines_.size() && lines_[at_].indent == indent + 1;
      if (has_keys) innermost(shape).members = this->object(indent + 1).members;
      if (shape.name == "*") {
        object.others = std::make_shared<Shape>(std::move(shape));
      } else {
        object.members.push_back(std::move(shape));
      }
    }
    return object;
  }

  /// Adds the keys of "+ TYPE"; those of "+? TYPE" may be missing.
  void add_type(std::string_view line, Shape& object) const {
    const bool is_optional = split_off(line, " ").ends_with('?');
    for (Shape member : types_.at(std::string(line)).members) {
      member.is_optional = member.is_optional || is_optional;
      object.members.push_back(std::move(member));
    }
  }

  static Shape& innermost(Shape& shape) {
    const bool is_outer = shape.type == Type::kList || shape.type == Type::kMap;
    return is_outer ? innermost(shape.members.front()) : shape;
  }

  Shape key(std::string_view line) const {
    std::string_view head = split_off(line, ": ");
    std::string_view kind = split_off(head, " = ");
    const std::string_view name = split_off(kind, " ");
    Shape shape = type(kind);
    shape.is_optional = name.ends_with('?') || !head.empty();
    shape.name = name.substr(0, name.size() - (name.ends_with('?') ? 1 : 0));
    if (!head.empty()) shape.initial = Json::parse(head);
    shape.meaning = line;
    return shape;
  }

  Shape type(std::string_view kind) const {
    Shape shape;
    if (kind.starts_with("list") || kind.starts_with("map")) {
      shape.type = kind.starts_with("list") ? Type::kList : Type::kMap;
      split_off(kind, " of ");
      shape.members.push_back(type(kind.empty() ? "object" : kind));
      return shape;
    }
    std::string_view rest = kind;
    kind = split_off(rest, " or null");
    const bool is_nullable = kind.data() + kind.size() != rest.data() + rest.size();
    if (consume(kind, "one of ")) {
      shape.type = Type::kText;
      while (!kind.empty()) shape.words.emplace_back(split_off(kind, ", "));
    } else {
      shape = plain(split_off(kind, " "));
      shape.is_above = consume(kind, ">");
      if (!kind.empty()) shape.low = Json::parse(split_off(kind, ".."));
      if (!kind.empty()) shape.high = Json::parse(kind);
    }
    shape.is_nullable = is_nullable;
    return shape;
  }

  /// @throws std::out_of_range for a type that the table has not described before.
  Shape plain(std::string_view name) const {
    static const std::map<std::string_view, Type> kPlain = {
        {"any", Type::kAny},     {"text", Type::kText},     {"name", Type::kName},
        {"query", Type::kQuery}, {"whole", Type::kWhole},   {"number", Type::kNumber},
        {"flag", Type::kFlag},   {"object", Type::kObject},
    };
    const auto found = kPlain.find(name);
    if (found == kPlain.end()) return types_.at(std::string(name));
    Shape shape;
    shape.type = found->second;
    return shape;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  std::map<std::string, Shape> types_;
};

const Table& table() {
  static const Table table = TableReader(kQuestionTable).read();
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
  std::vector<std::string> names;
  for (const Shape& member : shape.members) names.push_back(member.name);
  for (const auto& [name, value] : given.items()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string likely = likely_of(name, names);
    const std::string hint = likely.empty() ? "" : "; did you mean '" + likely + "'?";
    refuse(std::string(place)
               .append(": unknown key '")
               .append(shortened(name))
               .append("'")
               .append(hint));
  }
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(names.size());  // to grow, it would copy all
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

const Shape& Shape::key(std::string_view key_name) const {
  for (const Shape& member : members)
    if (member.name == key_name) return member;
  throw std::out_of_range(name + "." + std::string(key_name));
}

std::string_view question_table() { return kQuestionTable; }

std::vector<Question> read_questions(std::string_view table) {
  return TableReader(table).read().questions;
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
  Shape wrapped = table().envelope;
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
  for (const std::string& word : shape.words) words += (words.empty() ? "" : ", ") + word;
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
