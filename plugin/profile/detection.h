#pragma once

#include <xapian.h>
#include <string>

namespace kindred {

/// The name of the profile (config/profiles.h) of the program that made the index, as far as the
/// index tells; else "none". Reads some metadata and at most two documents.
/// @throws Error kCorrupt; Xapian::Error.
std::string detected_profile(const Xapian::Database& database);

}  // namespace kindred
