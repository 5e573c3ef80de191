#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "plugin/query/filter_fields.h"

namespace kindred {

inline constexpr std::size_t kMaxFilterBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxFilterParts = 1000;   ///< operators, phrases and brackets
inline constexpr std::size_t kMaxFilterBrackets = 20;  ///< levels of nesting

/// A part of a query.
struct Lexeme {
  enum class Kind {
    kWords,     ///< what is written without spaces: one word, or several that follow each other
    kWildcard,  ///< the same, with * behind it
    kPhrase,    ///< what stands in quotes
    kField,     ///< the name of a field whose value is the text that follows
    kValue,     ///< a field and its value, which is taken whole
    kOpen,
    kClose,
    kPlus,   ///< before what is wanted
    kMinus,  ///< before what is not wanted
    kAnd,
    kOr,
    kXor,
    kNot,
    kNear,
    kAdjacent
  };
  Kind kind;
  std::size_t at;            ///< its first byte in the query
  std::string_view name;     ///< the field; else the lexeme as it stands
  std::string text;          ///< the words, without quotes; the value
  std::size_t distance = 0;  ///< of NEAR/3; 0: none is given
  std::size_t end = 0;       ///< of a field and its value: behind its last byte
};

/// @throws Error kInvalidArgument that names the byte, from 1, and what was expected there.
[[noreturn]] void refuse_query(std::string_view query, std::size_t at, const std::string& fault);

/// Takes a query apart. A word that is followed by a colon and more text is a field, except for
/// numbers (12:30), "://" and "::". In quotes everything is text: "x", “x”, „x“, «x», »x«, 「x」 or
/// 『x』, of which the last four stand alone where no other closes them. Brackets are balanced. The
/// result borrows from both arguments.
/// @throws Error as refuse_query(): a field that is unknown or has no value; a quote or bracket
/// that is not closed or not opened; a bracket directly after a word; more than the limits above.
KINDRED_API std::vector<Lexeme> read_lexemes(std::string_view query, const FilterFields& fields);

/// The query with another name of a label, wherever a field asks for the label, in any spelling.
/// @throws Error as read_lexemes().
KINDRED_API std::string with_label_renamed(std::string_view query, const FilterFields& fields,
                                           const std::string& from, const std::string& to);

/// A field and its value in quotes, as a query has it.
std::string value_query(const std::string& field, std::string_view value);

}  // namespace kindred
