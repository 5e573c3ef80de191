#include "plugin/cli/selected_documents.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "config/error.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/record_lines.h"
#include "plugin/cli/text_input.h"

namespace kindred::cli {
namespace {

/// The document with an id; one with an error if there is none.
SelectedDocument document_with_id(const Engine& engine, const std::string& id) {
  try {
    const auto docid = engine.docid_of(id);
    if (!docid) return {0, id, 0, "no document with id '" + id + "'"};
    return {0, engine.id_of(*docid), *docid, ""};
  } catch (const Error& e) {  // several have it
    return {0, id, 0, e.what()};
  }
}

std::vector<SelectedDocument> documents_of_file(const Engine& engine, const std::string& path) {
  std::vector<SelectedDocument> documents;
  std::istringstream lines(read_text(path));
  std::uint64_t number = 0;

  // Blank lines are no ids. An id without a document stays in its place, with the error.
  std::string line;
  while (std::getline(lines, line)) {
    ++number;
    const std::string id = CLI::detail::trim_copy(line, " \t\r");
    if (id.empty()) continue;
    SelectedDocument& document = documents.emplace_back(document_with_id(engine, id));
    document.line = number;
    if (!document.error.empty()) report_bad_line(path, number, document.error);
  }
  return documents;
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  add_file_option(command, "--ids-from", options.ids_from,
                  "For each document of a file of ids, one per line; - is standard input");
  command.add_option("--query", options.query, "For each document that matches this Xapian query")
      ->type_name("QUERY")
      ->check(not_empty("a query (--all takes all documents)"));
  command.add_flag("--all", options.all, "For each document of the index");
}

bool is_given(const SelectionOptions& options) {
  const bool given[] = {!options.ids.empty() || !options.docids.empty(), !options.ids_from.empty(),
                        !options.query.empty(), options.all};
  const auto count = std::ranges::count(given, true);
  if (count > 1) throw CLI::ValidationError("expected only one of --ids-from, --query and --all");
  return count == 1;
}

std::vector<SelectedDocument> select_documents(const Engine& engine,
                                               const SelectionOptions& options) {
  if (!options.ids_from.empty()) return documents_of_file(engine, options.ids_from);

  std::vector<SelectedDocument> documents;
  for (const std::string& id : options.ids) {
    documents.push_back(document_with_id(engine, id));
    if (!documents.back().error.empty()) tell("kindred: " + documents.back().error);
  }
  for (const Xapian::docid docid : options.docids)
    documents.push_back({0, engine.id_of(docid), docid, ""});

  // Nothing is named, so the query selects; --all is the empty one, which matches all.
  if (!documents.empty()) return documents;
  for (const Xapian::docid docid : engine.matching(options.query))
    documents.push_back({0, engine.id_of(docid), docid, ""});
  return documents;
}

bool write_answers(AskedDatabase& database, const QuestionCommand& command, const Json& request,
                   std::span<const SelectedDocument> documents, std::ostream& out, LineOf line_of) {
  // Answers come in the order of the documents that were asked for, which leaves out those with an
  // error.
  Json answers = std::move(database.ask(command.question, request)["answers"]);
  auto next = answers.begin();
  for (const SelectedDocument& document : documents) {
    if (document.error.empty()) {
      out << line_of(document, std::move(*next), command.has_json()) << '\n';
      ++next;
    } else if (command.has_json()) {
      out << json_line({{"line", document.line}, {"error", document.error}}) << '\n';
    }
  }

  return answers.size() == documents.size();
}

}  // namespace kindred::cli
