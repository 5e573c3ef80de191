#pragma once

#include <xapian.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "plugin/handle.h"

namespace search_server {

/// A value slot that documents can be filtered, counted and sorted by.
struct ValueField {
  std::string name;
  std::uint32_t slot = 0;
  bool number = false;  ///< Xapian::sortable_serialise() made it; else it is text
};

/// What documents hold as terms: places in Schema::prefixes.
enum Kind : std::size_t { kLabels, kPredicted, kTopics, kUnits, kLanguages, kIds };

/// Where an index keeps what, and what its topics are called.
struct Schema {
  kindred::Settings settings;         ///< that hold for the index
  std::vector<std::string> prefixes;  ///< by Kind
  std::vector<ValueField> values;
  std::map<std::uint32_t, std::string> topics;

  /// A topic as documents and facets show it.
  Json topic(std::uint32_t number) const;
  /// @throws Problem 400 if there is none of this name; `place` begins its text.
  const ValueField& value(const std::string& name, const std::string& place) const;
};

/// A document as the API shows it, without its text and fields. @throws Xapian::Error.
Json document_json(const Xapian::Document& document, const Schema& schema);

/// What the index keeps of its text, and further keys of its data.
Json text_and_fields(const std::string& data, const kindred::IndexSettings& settings);

/// For each of the prefixes, best in byte order, the first value that a term of the document has
/// under it; "" if there is none. @throws Xapian::Error.
std::vector<std::string> values_of(const Xapian::Document& document,
                                   const std::vector<std::string>& prefixes);

/// The docid of a unique id; 0 if no document has it. Digits are also the docid of a document
/// without an id. @throws Xapian::Error.
Xapian::docid find_document(const Xapian::Database& database, const std::string& id,
                            const kindred::Settings& settings);

}  // namespace search_server
