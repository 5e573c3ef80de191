#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "plugin/input/analyzer_pool.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// How people write each feature term. For a stem, it is the word that stems to it and is in most
/// documents (ties go to the first in byte order), among the unprefixed terms of the index, in the
/// default language or one that documents name; for a pair of stems, it is that of each. If there
/// is no such word, or if the term is not a stem, it is the value of the term. `terms` must be
/// indexed. @throws Xapian::Error.
std::vector<std::string> words_of_terms(const Xapian::Database& database, const StringTable& terms,
                                        const std::vector<std::string>& prefixes,
                                        AnalyzerPool& analyzers);

}  // namespace kindred
