// Writes what is made of the table of questions.
//
// usage: make_questions QUESTIONS.TXT types|declarations|definitions|functions|python
#include "plugin/ask/make_questions.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

int main(int argc, char* argv[]) {
  using Writer = void (*)(const kindred::QuestionStructs&, std::ostream&);
  const std::map<std::string, Writer> writers = {{"types", kindred::write_types},
                                                 {"declarations", kindred::write_json_header},
                                                 {"definitions", kindred::write_json_source},
                                                 {"functions", kindred::write_functions},
                                                 {"python", kindred::write_python}};
  const auto writer = writers.find(argc == 3 ? argv[2] : "");
  std::ifstream file(argc == 3 ? argv[1] : "");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty() || writer == writers.end()) {
    std::cerr << "usage: make_questions QUESTIONS.TXT "
                 "types|declarations|definitions|functions|python\n";
    return 2;
  }

  const kindred::QuestionTable table = kindred::read_question_table(text);
  writer->second(kindred::QuestionStructs(table), std::cout);
  return std::cout.flush().good() ? 0 : 1;
}
