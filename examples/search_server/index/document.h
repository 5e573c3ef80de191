#pragma once

#include <xapian.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "index/schema.h"

namespace search_server {

/// What people see of a document of the index.
struct IndexedDocument {
  Xapian::docid docid = 0;
  std::string id;  ///< the docid in digits if it has none
  std::string title;
  std::string text;                                       ///< what the index keeps of it
  std::map<std::string, std::string> fields;              ///< further keys of its data
  std::vector<std::string> labels;                        ///< that people gave, in byte order
  std::vector<std::pair<std::string, double>> predicted;  ///< with confidences, descending
  std::optional<std::uint32_t> topic;
  std::optional<std::string> language;
  std::map<std::string, std::string> values;  ///< by the names of the schema, as they are stored
};

/// Reads a document. @throws Xapian::Error.
IndexedDocument read_document(const Xapian::Document& document, const Schema& schema);

/// The labels that people gave, in byte order. @throws Xapian::Error.
std::vector<std::string> read_labels(const Xapian::Document& document, const Schema& schema);

/// The docid of a unique id; 0 if no document has it. If no document of the index has an id, digits
/// are a docid. @throws Xapian::Error.
Xapian::docid find_document(const Xapian::Database& database, const std::string& id,
                            const Schema& schema);

}  // namespace search_server
