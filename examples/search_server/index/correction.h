#pragma once

#include <xapian.h>

#include <string>
#include <vector>

namespace search_server {

/// The query with its unknown words replaced by the nearest words of the index, the more frequent
/// ones first. "" if nothing is near. `unknown`: as ParsedQuery has it.
/// Looks at the words that begin with the same letter, or those of the index's spelling data.
std::string corrected(const Xapian::Database& database, const std::string& query,
                      const std::vector<std::string>& unknown);

}  // namespace search_server
