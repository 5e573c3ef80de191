// The functions that answer the questions of the table, as C++ declares them.
#include "plugin/ask/make_questions.h"

namespace kindred {

void write_functions(const QuestionStructs& structs, std::ostream& out) {
  out << "#pragma once\n\n// Made of plugin/ask/questions.txt by make_questions.\n\n"
         "#include <type_traits>\n\n#include \"plugin/questions.h\"\n\n"
         "namespace kindred {\n\nstruct Asking;\n\n// Each answers the question of its name.\n";
  for (const Question& question : structs.questions()) {
    const std::string type = "api::" + camel(question.name);
    out << type << "Answer answer(Asking& asking, const " << type << "Request& asked);\n";
  }

  out << "\n/// Calls visit(name, std::type_identity<the type of its request>()) for each "
         "question.\n"
         "template <typename Visit>\nvoid for_each_question(Visit&& visit) {\n";
  for (const Question& question : structs.questions()) {
    out << "  visit(\"" << question.name << "\", std::type_identity<api::" << camel(question.name)
        << "Request>());\n";
  }
  out << "}\n\n}  // namespace kindred\n";
}

}  // namespace kindred
