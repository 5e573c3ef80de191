#pragma once

#include <set>
#include <string>
#include <vector>

#include "plugin/ask/question_table.h"

// What the table of questions is in C++: a struct for each type, request and answer, whose members
// are the keys.

namespace kindred {

/// "related_document" as "RelatedDocument".
std::string camel(const std::string& words);

/// "number or null" is a double that is not finite for null, so it needs no std::optional.
bool has_null_value(const Shape& shape);

/// The keys that stand below a key are a struct of its own inside the struct.
bool is_nested(const Shape& shape);

/// What the elements of lists of lists and maps are in the end.
const Shape& innermost(const Shape& shape);

/// True for a key that is a std::optional since it may be missing: one with a default never is.
bool is_optional_member(const Shape& member);

/// The C++ type of a value, without what says that it may be missing or null. `key`: under which it
/// is.
std::string plain_type(const Shape& shape, const std::string& key);

/// The C++ type of a member.
std::string member_type(const Shape& member);

/// A struct of the table under the name that it has in C++.
struct QuestionStruct {
  std::string name;  ///< "RelatedAnswer", or "StatusAnswer::Analysis"
  const Shape* shape;
  std::string bases;  ///< besides the types that are its parts
};

/// Calls on_member() for the members that a struct has itself (without names of labels), and
/// on_part() for the first member of each "+ TYPE", before them.
template <typename OnMember, typename OnPart>
void for_each_member(const QuestionStruct& owner, OnMember&& on_member, OnPart&& on_part) {
  std::string part;
  for (const Shape& member : owner.shape->members) {
    if (member.part_of.empty() && member.kind != kNameKind) on_member(member);
    if (!member.part_of.empty() && member.part_of != part) on_part(member);
    part = member.part_of;
  }
}

/// All structs of a table, which must outlive them.
class QuestionStructs {
 public:
  explicit QuestionStructs(const QuestionTable& table);

  const std::vector<Question>& questions() const { return table_.questions; }

  /// In the order of their declaration, without those inside others.
  const std::vector<QuestionStruct>& outer() const { return outer_; }

  /// Those that requests hold, which are read, and those that answers hold, which are written; what
  /// is inside a struct before it.
  std::vector<QuestionStruct> read() const { return with_inner(read_); }
  std::vector<QuestionStruct> written() const { return with_inner(written_); }

 private:
  void find(const Shape& object, const std::string& name, std::set<std::string>& found);
  std::vector<QuestionStruct> with_inner(const std::set<std::string>& names) const;

  const QuestionTable& table_;
  std::vector<QuestionStruct> outer_;
  std::set<std::string> read_;
  std::set<std::string> written_;
};

}  // namespace kindred
