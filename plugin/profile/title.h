#pragma once

#include <xapian.h>
#include <string>

#include "config/settings.h"

namespace kindred {

/// The title of a document, from its data or a value slot (index.title_fields, index.title_slot);
/// "" if it has none. @throws Xapian::Error.
std::string document_title(const Xapian::Document& document, const IndexSettings& settings);

}  // namespace kindred
