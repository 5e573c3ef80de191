// What the table of questions says of them.
#include <set>
#include <string>

#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

TEST_CASE("the questions that may take the write lock are those that kindred.h names", "[ask]") {
  std::set<std::string> writing;
  for (const Question& question : questions())
    if (writes(question.name)) writing.insert(question.name);

  CHECK(writing == std::set<std::string>{"assign_topics", "delete", "edit", "edit_label",
                                         "store_related", "tag", "undo"});
}

TEST_CASE("a table says which of its questions write, and which tune", "[ask]") {
  const std::string keys = "\n request\n answer\n";
  const auto own = read_questions("question note, writing: Keep a note" + keys +
                                  "question fit, tuning: Fit notes" + keys +
                                  "question read: Read, slowly, a note" + keys);

  const Question& note = own.at(own.size() - 3);
  CHECK(note.name == "note");
  CHECK(note.meaning == "Keep a note");
  CHECK(note.effect == Question::Effect::kWriting);
  CHECK(own.at(own.size() - 2).effect == Question::Effect::kTuning);
  CHECK(own.back().name == "read");
  CHECK(own.back().meaning == "Read, slowly, a note");
  CHECK(own.back().effect == Question::Effect::kNone);
}
