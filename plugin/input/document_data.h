#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/api.h"
#include "config/error.h"
#include "config/settings.h"
#include "plugin/input/record.h"

// The data of a document, and what it is called: its unique id and its title.

namespace kindred {

/// The document data that Omega and similar programs show: one line "name=value" per field, in the
/// order id, title, sample, lang, label (once per label), then `fields`. Newlines become spaces.
/// Empty fields have no line. The sample is the first `sample_bytes` bytes of the text, cut at a
/// word, with an ellipsis; with 0 it is the whole text.
///
/// What such lines cannot say exactly (line ends, values that are not strings, keys such as "label"
/// that have another meaning here) is in a last line, "kindred=" and JSON.
KINDRED_API std::string document_data(const Record& record, std::int64_t sample_bytes);

/// What document data of this form keep of a record, besides its names and tags.
struct KeptRecord {
  Record record;        ///< title, text, language, fields and json_fields
  bool is_cut = false;  ///< the text is only the beginning of what it was
};

/// Reads what document_data() wrote for the document `id`. Nothing for data of another program.
KINDRED_API std::optional<KeptRecord> kept_record(std::string_view data, std::string_view id);

/// The first value of the field `name` in document data of this form; "" if there is none.
KINDRED_API std::string_view document_field(std::string_view data, std::string_view name);

/// The names and values of all fields, in their order.
std::vector<std::pair<std::string_view, std::string_view>> document_fields(std::string_view data);

/// A text with one blank for any white space: the beginning of at most `bytes`, cut between words
/// where that is possible.
KINDRED_API std::string beginning_of(std::string_view text, std::size_t bytes);

/// Document data of this form with other labels: `labels` instead of those that are among `before`.
/// Data that does not begin with the id of the document is of another program, and stays as it is.
std::string with_labels(std::string_view data, std::string_view id,
                        const std::vector<std::string>& before,
                        const std::vector<std::string>& labels);

/// What the id may be in the index that is asked for as `id`: itself; if index.id_scheme precedes
/// it, what follows; in an index of mu, also what mu makes of these (lower case, without marks, at
/// most 239 bytes). None if it is empty.
std::vector<std::string> spellings_of_id(std::string_view id, const IndexSettings& settings);

/// The documents that have this id, spelled in any of these ways, ascending: more than one where
/// another program wrote it twice. If no document has an id, the one with this docid in digits.
/// None if they are data (index.ids), for which nothing can be looked up.
/// @throws Xapian::Error.
std::vector<Xapian::docid> documents_with_id(const Xapian::Database& database, std::string_view id,
                                             const IndexSettings& settings);

/// @throws Xapian::Error.
bool has_document(const Xapian::Database& database, Xapian::docid docid);

/// What to say of an id that several documents have: which they are.
Error ambiguous_id(const std::string& id, const std::vector<Xapian::docid>& docids);

/// The id of a document where it is no term, but a value or the data, these without
/// index.id_scheme;
/// "" where it is the docid. @throws Xapian::Error.
std::string id_beside_terms(const Xapian::Document& document, const IndexSettings& settings);

/// The title of a document: from the ZIM file that it is in, its data or a value slot
/// (index.title_fields, index.title_slot); "" if it has none. @throws Xapian::Error.
std::string document_title(const Xapian::Document& document, const IndexSettings& settings);

/// What a list shows of a document: its title, or if it has none the first words of its text, at
/// most 80 bytes; "" if the index keeps neither. @throws Xapian::Error.
std::string document_heading(const Xapian::Document& document, const IndexSettings& settings);

}  // namespace kindred
