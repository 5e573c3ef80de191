#pragma once

#include <xapian.h>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// What the id may be in the index that is asked for as `id`: itself and, if index.id_scheme
/// precedes it, what follows. None if it is empty. The results borrow from `id`.
std::vector<std::string_view> spellings_of_id(std::string_view id, const IndexSettings& settings);

/// The documents that have this unique id, spelled in any of these ways, ascending: more than one
/// where another program wrote it twice. @throws Xapian::Error.
std::vector<Xapian::docid> documents_with_id(const Xapian::Database& database, std::string_view id,
                                             const IndexSettings& settings);

}  // namespace kindred
