#pragma once

#include <xapian.h>
#include <string>
#include <string_view>

namespace kindred {

// ZIM files (is_zim()) have an index of Xapian inside, as a single file of glass. libzim tells
// where it lies; without libzim they are refused.

/// Opens the full-text index of a ZIM file for reading.
/// @throws Error kUnsupported (this build has no libzim), kNotFound (the file has no such index),
/// kCorrupt (the file is damaged), kDatabase (it cannot be opened); Xapian::Error.
Xapian::Database open_zim(const std::string& path);

/// The title of the entry at a path of a ZIM file; "" if there is none. Any number of threads may
/// ask; the file that was asked last stays open. @throws Error as open_zim().
std::string zim_title(const std::string& path, std::string_view entry);

}  // namespace kindred
