#pragma once

#include <xapian.h>
#include <string>

namespace kindred {

/// The header of a glass database, which every commit replaces as a whole and by another one. ""
/// where there is none: a single file, a stub.
std::string glass_header(const std::string& path);

/// True if it is a glass database whose posting lists should be copied before they are read:
/// because somebody has committed within the last seconds, and they are small, or, if `must`,
/// because they could not be read otherwise, and they are not too large.
bool should_copy_lists(const std::string& path, bool must);

/// Copies the posting lists, values and lengths of a glass database, some 20 times as fast as they
/// are read, and opens them. The copy is one revision whole: a writer leaves the blocks of a
/// revision alone until it has committed the next one. It has no documents, positions or terms of
/// documents, and lies in the folder for temporary files until it is closed.
/// @throws Xapian::DatabaseModifiedError if a writer committed meanwhile; Error kDatabase if it
/// cannot be written; Xapian::Error.
Xapian::Database open_copied_lists(const std::string& path);

}  // namespace kindred
