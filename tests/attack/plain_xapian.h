#pragma once

#include <string>

namespace kindred::attack {

/// Reads everything in a database by Xapian alone: terms, posting lists, values, documents. Stops
/// where a list does not ascend, so that it comes to an end unless a call of Xapian's does not.
/// Returns 0, also where Xapian throws.
int read_by_xapian(const std::string& database);

/// Gives every document a term and values by Xapian alone, in the slots that Kindred writes, and
/// commits. Returns 0, also where Xapian throws.
int write_by_xapian(const std::string& database);

}  // namespace kindred::attack
