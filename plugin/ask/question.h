#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "plugin/ask/question_table.h"
#include "plugin/input/names.h"

namespace kindred {

/// The table of questions, in the notation that its heading describes.
KINDRED_API std::string_view question_table();

/// The questions of such a table. A host may put its own behind those of the library, whose types
/// they then know. @throws std::out_of_range for a type that the table has not described before.
KINDRED_API std::vector<Question> read_questions(std::string_view table);

/// All questions, as plugin/ask/questions.txt lists them.
KINDRED_API const std::vector<Question>& questions();

/// @throws Error kInvalidArgument if there is none of this name; the text has the nearest name.
KINDRED_API const Question& find_question(std::string_view name);

/// {"request", "answer"}: JSON Schemas (2020-12) of both, the answer with its envelope.
KINDRED_API Json schemas_of(const Question& question);

/// What is expected of such a value: "a whole number from 1 to 100".
KINDRED_API std::string expected(const Shape& shape);

/// The value with the defaults of keys that were left out. `place` begins messages: "related.like".
/// @throws Error kInvalidArgument that names the place, what was expected and what was found.
KINDRED_API Json understood(const Shape& shape, const Json& given, const std::string& place);

/// A similarity as a double that prints as the shortest decimal which is read back as the same
/// float.
KINDRED_API double shortest(float value);

/// JSON as a line without its end. Characters that may not be shown are written as \uXXXX.
KINDRED_API std::string json_line(const Json& json);

/// Reads JSON. @throws Error kInvalidArgument, also for what is nested too deep.
Json parse_json(std::string_view text);

}  // namespace kindred
