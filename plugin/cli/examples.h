#pragma once

#include <xapian.h>
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "plugin/cli/output/json_output.h"

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

}  // namespace kindred::cli
