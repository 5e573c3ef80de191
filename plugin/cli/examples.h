#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "plugin/cli/asked_database.h"
#include "plugin/cli/question.h"
#include "plugin/engine.h"
#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"

namespace kindred::cli {

/// A line of the input: a record, or what is wrong with it.
struct ParsedLine {
  std::uint64_t number = 0;
  std::string text;
  Record record;
  std::string error;  ///< "" if the record is good
};

/// The record of a line.
/// @throws Error kInvalidArgument as parse_record(), and if the line was skipped or takes more
/// memory than there is.
Record parse_line(const RecordLine& line);

/// The next lines, at most 1000 and about 64 MiB; none at the end. A line that is not a record is
/// returned with its error.
/// @throws Error from RecordReader.
std::vector<ParsedLine> read_batch(RecordReader& reader);

/// True if the key "split" of the record has this value, or if `split` is "".
bool is_in_split(const Record& record, const std::string& split);

/// Reports bad lines on standard error as FILE:LINE: message: the first ten, or all, and at the end
/// how many more there were.
class BadLines {
 public:
  explicit BadLines(bool all) : all_(all) {}
  void report(const std::string& path, std::uint64_t number, const std::string& error);
  /// Returns true if there was none.
  bool finish() const;

 private:
  static constexpr std::uint64_t kShown = 10;
  const bool all_;
  std::uint64_t count_ = 0;
};

/// The documents of the index, or the texts, that a question is about.
struct ExampleOptions {
  std::vector<std::string> named;  ///< ids, as arguments
  std::vector<std::string> ids;    ///< by --id
  std::vector<Xapian::docid> docids;
  std::vector<std::string> texts;
  std::vector<std::string> text_files;  ///< "-" is standard input
  std::string language;                 ///< of the texts; "" = the default
};

/// Documents of the index only: ids as arguments, --id and --docid.
void add_document_options(CLI::App& command, ExampleOptions& options);
void add_docid_option(CLI::App& command, std::vector<Xapian::docid>& docids);
void add_example_options(CLI::App& command, ExampleOptions& options);
void add_language_option(CLI::App& command, std::string& code);
/// --text and --text-file, and what the help says of them.
void add_text_options(CLI::App& command, ExampleOptions& options, const std::string& text,
                      const std::string& file);

std::size_t count_examples(const ExampleOptions& options);

/// The examples of a request. Reads the files. @throws Error kNotFound if one cannot be read.
Json examples_json(const ExampleOptions& options);

/// A repeatable option for text that is taken as it is: it is not split, and may be empty.
CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& description);

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
