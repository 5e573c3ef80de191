#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "plugin/cli/asked_database.h"
#include "plugin/cli/question.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// Many documents of the index, each of which is asked about.
struct SelectionOptions {
  std::vector<std::string> ids;       ///< as arguments, of the commands that take them
  std::vector<Xapian::docid> docids;  ///< likewise, by --docid
  std::string ids_from;  ///< file of ids, one per line; "-" is standard input; "" = none
  std::string query;     ///< those that match this Xapian query
  bool all = false;
};
void add_selection_options(CLI::App& command, SelectionOptions& options);

/// True if one of the options was given. @throws CLI::ValidationError if more than one was.
bool is_given(const SelectionOptions& options);

/// A document that was asked for, or a record of a file.
struct SelectedDocument {
  std::uint64_t line = 0;   ///< of the file, from 1; else 0
  std::string id;           ///< as it is in the index, or as it was asked for if there is none
  Xapian::docid docid = 0;  ///< of a record: 0
  std::string error;        ///< "" if there is such a document, or the record is good
};

/// The documents in the order of the file, or by docid. Empty lines are skipped. Ids that no
/// document has are reported on standard error, those of a file as FILE:LINE: message, and have an
/// error.
/// @throws Error kNotFound if the file cannot be read; as Engine::matching().
std::vector<SelectedDocument> select_documents(const Engine& engine,
                                               const SelectionOptions& options);

/// The line of an answer: as JSON, or for people.
using LineOf = std::string (*)(const SelectedDocument& document, Json answer, bool json);

/// Asks the question of a command about those of these documents that have no error, and writes a
/// line for each, or with --json its error. False if one has an error. `request`: with these.
bool write_answers(AskedDatabase& database, const QuestionCommand& command, const Json& request,
                   std::span<const SelectedDocument> documents, std::ostream& out, LineOf line_of);

}  // namespace kindred::cli
