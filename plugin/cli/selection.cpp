#include "plugin/cli/selection.h"

#include <algorithm>
#include <sstream>

#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/record_batch.h"

namespace kindred::cli {
namespace {

/// `text` without white space at its ends.
std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// The document with an id; one with an error if there is none.
SelectedDocument document_with_id(const Engine& engine, const std::string& id) {
  const auto docid = engine.docid_of(id);
  if (!docid) return {0, id, 0, "no document with id '" + id + "'"};
  return {0, engine.id_of(*docid), *docid, ""};
}

std::vector<SelectedDocument> documents_of_file(const Engine& engine, const std::string& path) {
  std::vector<SelectedDocument> documents;
  std::istringstream lines(read_text(path));
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string id = trimmed(line);
    if (id.empty()) continue;
    SelectedDocument& document = documents.emplace_back(document_with_id(engine, id));
    document.line = number;
    if (!document.error.empty()) report_bad_line(path, number, document.error);
  }
  return documents;
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  command
      .add_option("--ids-from", options.ids_from,
                  "For each document of a file of ids, one per line; - is standard input")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  command.add_option("--query", options.query, "For each document that matches this Xapian query")
      ->type_name("QUERY")
      ->check(not_empty("a query (--all takes all documents)"));
  command.add_flag("--all", options.all, "For each document of the index");
}

bool is_given(const SelectionOptions& options) {
  const int given = (options.ids.empty() ? 0 : 1) + (options.ids_from.empty() ? 0 : 1) +
                    (options.query.empty() ? 0 : 1) + (options.all ? 1 : 0);
  if (given > 1) throw CLI::ValidationError("expected only one of --ids-from, --query and --all");
  return given == 1;
}

std::vector<SelectedDocument> select_documents(const Engine& engine,
                                               const SelectionOptions& options) {
  if (!options.ids_from.empty()) return documents_of_file(engine, options.ids_from);
  std::vector<SelectedDocument> documents;
  for (const std::string& id : options.ids) {
    documents.push_back(document_with_id(engine, id));
    if (!documents.back().error.empty()) tell("kindred: " + documents.back().error);
  }
  if (!options.ids.empty()) return documents;
  for (const Xapian::docid docid : engine.matching(options.query))
    documents.push_back({0, engine.id_of(docid), docid, ""});
  return documents;
}

}  // namespace kindred::cli
