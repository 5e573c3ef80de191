#pragma once

#include <xapian.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

// What a document of an index is called: its unique id and its title.

namespace kindred {

/// What the id may be in the index that is asked for as `id`: itself; if index.id_scheme precedes
/// it, what follows; in an index of mu, also what mu makes of these (lower case, without marks, at
/// most 239 bytes). None if it is empty.
std::vector<std::string> spellings_of_id(std::string_view id, const IndexSettings& settings);

/// The documents that have this unique id, spelled in any of these ways, ascending: more than one
/// where another program wrote it twice. None if ids are no terms (index.id_in_data).
/// @throws Xapian::Error.
std::vector<Xapian::docid> documents_with_id(const Xapian::Database& database, std::string_view id,
                                             const IndexSettings& settings);

/// The id of a document whose data are its id (index.id_in_data), without index.id_scheme.
std::string id_in_data(std::string_view data, const IndexSettings& settings);

/// The title of a document: from the ZIM file that it is in, its data or a value slot
/// (index.title_fields, index.title_slot); "" if it has none. @throws Xapian::Error.
std::string document_title(const Xapian::Document& document, const IndexSettings& settings);

/// What a list shows of a document: its title, or if it has none the first words of its text, at
/// most 80 bytes; "" if the index keeps neither. @throws Xapian::Error.
std::string document_heading(const Xapian::Document& document, const IndexSettings& settings);

}  // namespace kindred
