#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"

namespace kindred::cli {

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
void add_example_options(CLI::App& command, ExampleOptions& options);
void add_language_option(CLI::App& command, std::string& code);

std::size_t count_examples(const ExampleOptions& options);

/// The examples of a request. Reads the files. @throws Error kNotFound if one cannot be read.
Json examples_json(const ExampleOptions& options);

/// A repeatable option for text that is taken as it is: it is not split, and may be empty.
CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& description);

/// The whole file, or standard input for "-", without a byte order mark of UTF-8. @throws Error
/// kNotFound if it cannot be read.
std::string read_text(const std::string& path);

}  // namespace kindred::cli
