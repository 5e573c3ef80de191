#include "plugin/ask/question_table.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/text_front.h"

namespace kindred {
namespace {

using Type = Shape::Type;

constexpr std::string_view kByHand = ", by hand";
constexpr std::uint64_t kMostDocid = 4294967295;

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

  QuestionTable read() {
    while (at_ < lines_.size()) {
      std::string_view head = lines_[at_++].text;
      if (consume(head, "type ")) {
        const bool is_by_hand = head.ends_with(kByHand);
        if (is_by_hand) head.remove_suffix(kByHand.size());
        Shape type = object(1, true);
        type.kind = head;
        type.is_by_hand = is_by_hand;
        table_.types.push_back(std::move(type));
        continue;
      }
      consume(head, "question ");
      Question& question = table_.questions.emplace_back();
      std::string_view name = split_off(head, ": ");
      question.name = split_off(name, ", ");
      if (name == "tuning") question.effect = Question::Effect::kTuning;
      if (name == "writing") question.effect = Question::Effect::kWriting;
      question.meaning = head;
      ++at_;  // "request"
      question.request = object(2, false);
      ++at_;  // "answer"
      question.answer = object(2, true);
    }
    return std::move(table_);
  }

 private:
  struct Line {
    std::size_t indent;
    std::string_view text;
  };

  /// `has_names`: after each label may be its name.
  Shape object(std::size_t indent, bool has_names) {
    Shape object;
    object.type = Type::kObject;
    while (at_ < lines_.size() && lines_[at_].indent == indent) {
      if (lines_[at_].text.front() == '+') {
        add_type(lines_[at_++].text, object);
        continue;
      }
      Shape shape = key(lines_[at_++].text);
      const bool has_keys = at_ < lines_.size() && lines_[at_].indent == indent + 1;
      if (has_keys) innermost(shape).members = this->object(indent + 1, has_names).members;
      if (shape.name == "*") {
        object.others = std::make_shared<Shape>(std::move(shape));
      } else {
        object.members.push_back(std::move(shape));
        if (has_names && object.members.back().kind == kLabelKind)
          object.members.push_back(name_of(object.members.back()));
      }
    }
    return object;
  }

  /// The key of the name that a label has by the vocabulary.
  static Shape name_of(const Shape& label) {
    const bool is_main = label.name == "label" || label.name == "value";
    Shape name;
    name.name = is_main ? "name" : label.name + "_name";
    name.type = Type::kText;
    name.kind = kNameKind;
    name.is_optional = true;
    name.meaning = "what the vocabulary calls it";
    return name;
  }

  /// Adds the keys of "+ TYPE"; those of "+? TYPE" may be missing.
  void add_type(std::string_view line, Shape& object) const {
    const bool is_optional = split_off(line, " ").ends_with('?');
    for (Shape member : table_.type(line).members) {
      member.part_of = line;
      member.is_part_optional = is_optional;
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
    const std::string_view outer = kind.substr(0, kind.find(' '));
    if (outer == "list" || outer == "map") {
      shape.type = outer == "list" ? Type::kList : Type::kMap;
      shape.kind = outer;
      split_off(kind, " of ");
      shape.members.push_back(type(kind.empty() ? "object" : kind));
      return shape;
    }
    std::string_view rest = kind;
    kind = split_off(rest, " or null");
    const bool is_nullable = kind.data() + kind.size() != rest.data() + rest.size();
    if (consume(kind, "one of ")) {
      shape.type = Type::kText;
      shape.kind = "text";
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
        {"any", Type::kAny},       {"text", Type::kText},     {"name", Type::kName},
        {"query", Type::kQuery},   {"whole", Type::kWhole},   {"number", Type::kNumber},
        {"flag", Type::kFlag},     {"object", Type::kObject}, {"float", Type::kNumber},
        {"share", Type::kNumber},  {"docid", Type::kWhole},   {"id", Type::kName},
        {kLabelKind, Type::kName},
    };
    const auto found = kPlain.find(name);
    if (found == kPlain.end()) return table_.type(name);
    Shape shape;
    shape.type = found->second;
    shape.kind = name;
    if (name == "docid") {
      shape.low = 1;
      shape.high = kMostDocid;
    }
    return shape;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  QuestionTable table_;
};

}  // namespace

const Shape& Shape::key(std::string_view key_name) const {
  for (const Shape& member : members)
    if (member.name == key_name) return member;
  throw std::out_of_range(name + "." + std::string(key_name));
}

bool Shape::has_key(std::string_view key_name) const {
  return std::ranges::find(members, key_name, &Shape::name) != members.end();
}

const Shape& QuestionTable::type(std::string_view name) const {
  const auto found = std::ranges::find(types, name, &Shape::kind);
  if (found == types.end()) throw std::out_of_range(std::string(name));
  return *found;
}

QuestionTable read_question_table(std::string_view text) { return TableReader(text).read(); }

}  // namespace kindred
