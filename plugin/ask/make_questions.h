#pragma once

#include <ostream>

#include "plugin/ask/question_structs.h"

// What make_questions writes.

namespace kindred {

/// The header with the structs.
void write_types(const QuestionStructs& structs, std::ostream& out);

/// The header and the source of what reads them from JSON, and writes them.
void write_json_header(const QuestionStructs& structs, std::ostream& out);
void write_json_source(const QuestionStructs& structs, std::ostream& out);

/// The header with the function that answers each question.
void write_functions(const QuestionStructs& structs, std::ostream& out);

/// In Python, a dataclass for each struct that answers have.
void write_python(const QuestionStructs& structs, std::ostream& out);

}  // namespace kindred
