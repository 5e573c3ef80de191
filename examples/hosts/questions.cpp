// What questions.c does, in C++: an engine and ask() answer, and nothing of the C face is needed.
//
//   kindred_questions_cpp DATABASE questions.tsv
#include <kindred/ask/ask.h>
#include <kindred/config/error.h>
#include <kindred/config/settings.h>
#include <kindred/engine.h>
#include <kindred/writing/ingest.h>
#include <fstream>
#include <iostream>
#include <string>

namespace {

constexpr const char* kNotes[] = {
    R"({"id": "b1", "title": "Bread", "labels": ["kitchen"],
        "text": "Knead the dough, let it rise, bake the bread in a hot oven."})",
    R"({"id": "b2", "title": "Rolls", "labels": ["kitchen"],
        "text": "Shape the dough into rolls and bake them in the oven until brown."})",
    R"({"id": "s1", "title": "Tides", "labels": ["sea"],
        "text": "The moon pulls the tide; sailors read the harbor tables."})",
    R"({"id": "s2", "title": "Harbor", "labels": ["sea"],
        "text": "Ships wait in the harbor for the tide."})",
    R"({"id": "n1", "title": "Loaf", "text": "Bake the dough in a hot oven."})",
    R"({"id": "n2", "title": "Sails", "text": "Sailors leave the harbor."})"};

}  // namespace

int main(int argc, char* argv[]) {
  std::ifstream questions(argc == 3 ? argv[2] : "");
  if (!questions) {
    std::cerr << "usage: " << argv[0] << " DATABASE questions.tsv\n";
    return 1;
  }
  try {
    const std::string path = argv[1];
    const kindred::Settings settings;
    {
      kindred::Ingest ingest(path, settings);  // has the write lock
      for (const char* note : kNotes) ingest.add(kindred::parse_record(note));
      ingest.commit();
    }

    kindred::Engine engine(path, settings);
    kindred::AskedIndex index;
    index.path = path;
    index.settings = engine.settings();
    index.engine = [&]() -> kindred::Engine& {
      return engine;
    };
    index.follows = true;
    for (std::string line; std::getline(questions, line);) {
      const std::size_t tab = line.find('\t');
      const std::string question = line.substr(0, tab);
      std::cout << question << '\t' << kindred::ask(index, question, line.substr(tab + 1)) << '\n';
    }
  } catch (const kindred::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  } catch (const Xapian::Error& error) {
    std::cerr << argv[1] << ": " << error.get_description() << '\n';
    return 1;
  }
}
