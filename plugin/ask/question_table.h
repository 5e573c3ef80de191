#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// Objects keep the order in which their keys were set.
using Json = nlohmann::ordered_json;

/// The kind of a Shape that is a label, and of one that is the name of the label before it, which
/// JSON gets and C++ types do not have.
inline constexpr std::string_view kLabelKind = "label";
inline constexpr std::string_view kNameKind = "name of a label";

/// What a value of a request or an answer may be, and the key that it stands under.
struct Shape {
  enum class Type { kAny, kText, kName, kQuery, kWhole, kNumber, kFlag, kList, kMap, kObject };

  std::string name;  ///< of the key
  Type type = Type::kAny;
  std::string kind;     ///< the word for it in the table, or the name of its "type"
  std::string part_of;  ///< the type that brought the key by "+"; "": its object has it itself
  bool is_part_optional = false;  ///< by "+?"
  bool is_by_hand = false;        ///< the C++ type of a "type" is not made of the table
  bool is_optional = false;       ///< the key may be missing
  bool is_nullable = false;
  bool is_above = false;           ///< a number is above `low`, not `low` itself
  Json low, high;                  ///< of a number, both included; null: any
  Json initial;                    ///< the default of a key that may be left out; null: none
  std::vector<std::string> words;  ///< the choices of a text; empty: any text
  std::string meaning;             ///< a phrase; "" where the name says it
  std::vector<Shape> members;      ///< keys of an object; of a list or a map, what its elements are
  std::shared_ptr<const Shape> others;  ///< of an object: what the values of further keys are

  /// A key of an object. @throws std::out_of_range.
  KINDRED_API const Shape& key(std::string_view key_name) const;
  KINDRED_API bool has_key(std::string_view key_name) const;
};

/// A question that an index answers.
struct Question {
  enum class Effect { kNone, kTuning, kWriting };

  std::string name;
  std::string meaning;  ///< a sentence without its point
  Shape request;
  Shape answer;
  Effect effect = Effect::kNone;  ///< kWriting: it may take the write lock of the database
};

/// What the table of questions says, in its order.
struct QuestionTable {
  std::vector<Shape> types;  ///< those with names
  std::vector<Question> questions;

  /// @throws std::out_of_range if there is none of this name.
  const Shape& type(std::string_view name) const;
};

/// Reads a table, whose form the heading of plugin/ask/questions.txt describes. What it does not
/// fit is not told apart: the table is a part of the program.
QuestionTable read_question_table(std::string_view text);

}  // namespace kindred
