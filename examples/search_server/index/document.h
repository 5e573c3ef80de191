#pragma once

#include <xapian.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/handle.h"
#include "plugin/store/terms.h"

namespace search_server {

/// A value slot that documents can be filtered, counted and sorted by.
struct ValueField {
  std::string name;
  std::uint32_t slot = 0;
  bool number = false;  ///< Xapian::sortable_serialise() made it; else it is text
};

/// What documents hold as terms: places in Schema::prefixes.
enum Kind : std::size_t { kLabels, kPredicted, kTopics, kUnits, kLanguages, kIds };

/// Where an index keeps what.
struct Schema {
  std::vector<std::string> prefixes = {"K", "XAUTO", "XTOPIC", "XUNIT", "L", "Q"};  ///< by Kind
  std::string id_scheme;  ///< what may precede ids that are asked for
  std::string archive;  ///< the ZIM file that the index is in, whose documents' data are their ids
  std::vector<std::string> title_fields = {"title", "caption"};
  std::int64_t title_slot = -1;            ///< -1: none
  std::vector<std::string> system_labels;  ///< no labels; "a*": all that begin with "a"
  std::uint32_t prediction_slot = 7001;
  std::vector<ValueField> values;

  const ValueField* value(std::string_view name) const;  ///< null: there is none
  bool is_system_label(std::string_view label) const;
};

/// `settings`: of the index, in JSON by section and key.
Schema schema_of(const Json& settings, std::vector<ValueField> values);

/// What people see of a document of the index.
struct IndexedDocument {
  Xapian::docid docid = 0;
  std::string id;                             ///< the docid in digits if it has none
  std::string title;                          ///< or the first words of its text
  std::string text;                           ///< what the index keeps of it
  std::map<std::string, std::string> fields;  ///< further keys of its data
  std::vector<std::string> labels;            ///< that people gave, in byte order
  std::vector<std::string> predicted;         ///< in byte order
  std::uint32_t topic = 0;                    ///< 0: none
  std::string language;                       ///< "": not known
  std::string prediction;                     ///< what the plugin stored of it, as JSON
  Json values = Json::object();               ///< of its value fields, those that it has
  std::string etag;                           ///< another one for other data or tags
};

/// Reads a document. @throws Xapian::Error.
IndexedDocument read_document(const Xapian::Document& document, const Schema& schema);

/// Its parts, in a part of the time: the labels that people gave; the title that it was given, or
/// "".
std::vector<std::string> read_labels(const Xapian::Document& document, const Schema& schema);
std::string read_title(const Xapian::Document& document, const Schema& schema);

/// The docid of a unique id; 0 if no document has it. Digits are also the docid of a document
/// without an id. @throws Xapian::Error.
Xapian::docid find_document(const Xapian::Database& database, std::string_view id,
                            const Schema& schema);

/// The label that a term has, as Kindred lists it: in Unicode's normalization form C, without white
/// space at its ends.
std::string label_name(std::string_view value);

/// Calls take(kind, value) for each term of a document that has a value under prefixes[kind]. One
/// prefix may begin another: XT and XTOPIC. Terms between them are skipped.
template <typename Take>
void for_each_value(const Xapian::Document& document, const std::vector<std::string>& prefixes,
                    Take&& take) {
  Xapian::TermIterator term;
  try {
    term = document.termlist_begin();
  } catch (const Xapian::DocNotFoundError&) {
    return;  // the index does not keep the terms of documents
  }
  const Xapian::TermIterator end = document.termlist_end();
  std::vector<std::string> ascending = prefixes;
  std::ranges::sort(ascending);
  for (const std::string& prefix : ascending) {
    if (term == end) return;
    for (term.skip_to(prefix); term != end; ++term) {
      const std::string name = *term;
      if (!name.starts_with(prefix)) break;
      for (std::size_t kind = 0; kind < prefixes.size(); ++kind) {
        if (const auto value = kindred::value_under(prefixes[kind], name)) take(kind, *value);
      }
    }
  }
}

}  // namespace search_server
