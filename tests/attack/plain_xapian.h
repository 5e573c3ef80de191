#pragma once

#include <string>

namespace kindred::attack {

/// Reads everything in a database by Xapian alone: terms, posting lists, values, documents. Stops
/// if a list does not ascend, so it ends unless a call of Xapian does not. Returns 0, even if
/// Xapian throws.
int read_by_xapian(const std::string& database);

/// Gives every document a term, and values in the slots that Kindred writes, by Xapian alone, and
/// commits. Returns 0, even if Xapian throws.
int write_by_xapian(const std::string& database);

}  // namespace kindred::attack
