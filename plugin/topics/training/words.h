#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "plugin/input/analyzer_pool.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// How people write each feature term: for a stem the word of the index, among its unprefixed
/// terms, that stems to it and is in most documents (ties: first in byte order), in the default
/// language or one that documents name; without such a word, and for terms that are no stems, the
/// term's value. `terms` must be indexed. @throws Xapian::Error.
std::vector<std::string> words_of_terms(const Xapian::Database& database, const StringTable& terms,
                                        const std::vector<std::string>& prefixes,
                                        AnalyzerPool& analyzers);

}  // namespace kindred
