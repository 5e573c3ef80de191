// kindred vocabulary: names, synonyms and broader terms of labels.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"
#include "plugin/readers/vocabulary_file_reader.h"

namespace kindred::cli {
namespace {

constexpr const char* kVocabularyFooter = R"(
Examples:
  kindred vocabulary load --db books.db subjects.tsv
  kindred vocabulary load --db books.db gnd.ttl.gz --id-prefix https://d-nb.info/gnd/
  kindred vocabulary search --db books.db earthquake
  kindred vocabulary show --db books.db 4015134-7
A label is the id of its term. Files are CSV or TSV (id and name; or by a first line with names of
columns: id, name, language, synonym, broader, use instead, note, deprecated; | parts several values
of one), SKOS in Turtle, N-Triples or RDF/XML, or JSON Lines. Loading again replaces all terms.)";

constexpr std::size_t kMistakesShown = 10;

struct LoadCommand : QuestionCommand {
  std::string file;
  std::string id_prefix;
};

/// Tells the first mistakes of a file.
class FileMistakes {
 public:
  explicit FileMistakes(std::string path) : path_(std::move(path)) {}

  void tell_one(std::uint64_t line, const std::string& fault) {
    if (++count_ > kMistakesShown) return;
    tell(path_ + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " " + fault);
  }
  void add(std::uint64_t more) { count_ += more; }
  std::uint64_t count() const { return count_; }

  void finish() const {
    if (count_ > kMistakesShown)
      tell("kindred: and " + std::to_string(count_ - kMistakesShown) + " more mistakes");
  }

 private:
  const std::string path_;
  std::uint64_t count_ = 0;
};

/// "4015134-7, 4113456-4", for messages.
std::string some(const Json& ids) { return shown(joined(ids)); }

void print_loaded(const Json& answer) {
  const auto named = answer["named"].get<std::uint64_t>();
  std::cout << counted(answer["terms"].get<std::uint64_t>(), "term");
  if (!answer["file"].is_null()) std::cout << " stored in " << shown(text_of(answer["file"]));
  std::cout << '\n'
            << named << " of " << counted(answer["labels"].get<std::uint64_t>(), "label")
            << (named == 1 ? " has a name\n" : " have names\n");
  if (named > 0 || answer["labels"] == 0 || answer["ids"].empty()) return;

  std::cout << "labels are such as " << some(answer["unnamed"]) << "; ids of terms are such as "
            << some(answer["ids"]) << '\n';
  const std::string first = name_of(answer["ids"][0]);
  const std::size_t last_part = first.find_last_of("/#");
  if (last_part != first.npos)
    std::cout << "of ids in SKOS, --id-prefix takes the beginning off: --id-prefix "
              << shown(first.substr(0, last_part + 1)) << '\n';
}

int load(const LoadCommand& command) {
  VocabularyFile file = read_vocabulary_file(command.file, command.id_prefix);
  if (!file.unread.empty()) {
    std::string names;
    for (const std::string& name : file.unread) append_item(names, "'" + name + "'");
    tell("kindred: " + command.file + ": columns that are not read: " + names);
  }

  // What could not be read, and what the library says of the rest.
  FileMistakes mistakes(command.file);
  for (const VocabularyFile::Mistake& mistake : file.mistakes)
    mistakes.tell_one(mistake.line, mistake.fault);

  Json request = command.request;
  request["terms"] = std::move(file.terms);
  const bool skips = request.contains("skip_bad");
  if (mistakes.count() > 0 && !skips) request["dry_run"] = true;

  AskedDatabase database(command.database);
  const Json answer = database.answer("load_vocabulary", request);
  for (const Json& mistake : answer["mistakes"]) {
    const auto line = file.lines[mistake["term"].get<std::size_t>()];
    const std::string id = name_of(mistake["id"]);
    mistakes.tell_one(line, (id.empty() ? "" : "'" + id + "': ") + text_of(mistake["fault"]));
  }
  mistakes.add(answer["mistaken"].get<std::uint64_t>() - answer["mistakes"].size());
  mistakes.finish();

  if (mistakes.count() > 0 && !skips) {
    tell("kindred: nothing has changed; --skip-bad leaves out what is wrong");
    return kFailed;
  }
  if (!command.has_json()) print_loaded(answer);
  return kGood;
}

/// "Earthquake (en), Erdbeben (de)"
std::string texts_of(const Json& texts) {
  std::string all;
  for (const Json& each : texts) {
    std::string text = text_of(each["text"]);
    if (each.contains("language")) text += " (" + text_of(each["language"]) + ")";
    append_item(all, text);
  }
  return all;
}

void print_terms(const Json& answer, const QuestionCommand&) {
  for (const Json& term : answer["terms"]) {
    std::cout << shown(name_of(term["id"])) << '\n';
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
             {"names", texts_of(term["names"])},
             {"synonyms", texts_of(term["synonyms"])},
             {"broader", labels_text(term["above"], answer)},
             {"narrower", labels_text(term["below"], answer)},
             {"deprecated", term["deprecated"].get<bool>() ? "yes" : ""},
             {"use instead", joined(term["use_instead"])},
             {"note", term.contains("note") ? text_of(term["note"]) : ""},
             {"documents", text_of(term["documents"])}}) {
      if (!text.empty()) std::cout << fitted("  " + std::string(name) + ": " + shown(text) + '\n');
    }
  }

  const auto found = answer["found"].get<std::uint64_t>();
  if (answer["all"] == 0) {
    std::cout << "no vocabulary\n";
  } else if (found != answer["terms"].size()) {
    std::cout << answer["terms"].size() << " of " << counted(found, "term") << "; "
              << answer["named"] << " of "
              << counted(answer["labels"].get<std::uint64_t>(), "label") << " have names\n";
  } else if (found == 0) {
    std::cout << "no term is called so\n";
  }
}

void print_removed(const Json& answer, const QuestionCommand&) {
  std::cout << (answer["removed"].get<bool>() ? "removed the vocabulary\n" : "no vocabulary\n");
}

}  // namespace

void add_vocabulary(CLI::App& program, Action& action) {
  CLI::App& vocabulary = *program.add_subcommand(
      "vocabulary", "Give labels names, synonyms and broader terms, and find them by these");
  vocabulary.require_subcommand(1);
  vocabulary.footer(kVocabularyFooter + 1);

  const auto loading = std::make_shared<LoadCommand>();
  CLI::App& loads = *vocabulary.add_subcommand("load", find_question("load_vocabulary").meaning);
  add_database_options(loads, loading->database);
  loading->database.renews_files = true;
  add_file_option(loads, "FILE", loading->file, "The terms; - is standard input")->required();
  loads.add_option("--id-prefix", loading->id_prefix, "Taken off ids of SKOS that begin with it");
  add_keys(loads, "load_vocabulary", loading->request, {"skip_bad", "dry_run"});
  set_action(loads, action, loading, load);

  const auto showing = std::make_shared<QuestionCommand>();
  CLI::App& shows =
      add_question(vocabulary, action, "show", "vocabulary", "", print_terms, showing);
  add_key(shows, "vocabulary", showing->request, "ids", "ID")
      ->description("These terms, by id or name; without them, all")
      ->allow_extra_args(true);
  add_keys(shows, "vocabulary", showing->request, {"limit", "offset"});

  const auto searching = std::make_shared<QuestionCommand>();
  CLI::App& searches =
      add_question(vocabulary, action, "search", "vocabulary", "", print_terms, searching);
  add_key(searches, "vocabulary", searching->request, "query", "TEXT")
      ->required()
      ->check(not_empty("a text"));
  add_keys(searches, "vocabulary", searching->request, {"limit", "offset"});

  add_question(vocabulary, action, "remove", "remove_vocabulary", "", print_removed,
               std::make_shared<QuestionCommand>());
}

}  // namespace kindred::cli
