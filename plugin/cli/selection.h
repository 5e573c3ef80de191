#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/engine.h"

namespace kindred::cli {

/// Many documents of the index, each of which is asked about.
struct SelectionOptions {
  std::vector<std::string> ids;  ///< as arguments, of the commands that take them
  std::string ids_from;          ///< file of ids, one per line; "-" is standard input; "" = none
  std::string query;             ///< those that match this Xapian query
  bool all = false;
};
void add_selection_options(CLI::App& command, SelectionOptions& options);

/// True if one of the options was given. @throws CLI::ValidationError if more than one was.
bool is_given(const SelectionOptions& options);

/// A document that was asked for.
struct SelectedDocument {
  std::uint64_t line = 0;  ///< of the file, from 1; else 0
  std::string id;          ///< as it is in the index, or as it was asked for if there is none
  Xapian::docid docid = 0;
  std::string error;  ///< "" if there is such a document
};

/// The documents in the order of the file, or by docid. Empty lines are skipped. Ids that no
/// document has are reported on standard error, those of a file as FILE:LINE: message, and have an
/// error.
/// @throws Error kNotFound if the file cannot be read; as Engine::matching().
std::vector<SelectedDocument> select_documents(const Engine& engine,
                                               const SelectionOptions& options);

}  // namespace kindred::cli
