#pragma once

#include <xapian.h>
#include <string>

namespace kindred {

/// The header of a glass database. Every commit replaces the whole header by a different one. "" if
/// there is none, as for a single file or a stub.
std::string glass_header(const std::string& path);

/// True if this is a glass database whose posting lists should be copied before they are read:
///
/// - if somebody has committed within the last seconds and the lists are small,
/// - if `must` says that they cannot be read in place, and they are not too large.
bool should_copy_lists(const std::string& path, bool must);

/// Copies the posting lists, values and lengths of a glass database, and opens the copy. Copying is
/// some 20 times as fast as reading. The copy is one whole revision, since a writer does not touch
/// the blocks of a revision before it has committed the next one. It has neither documents nor
/// positions nor the terms of documents. It is in the folder for temporary files until it is
/// closed.
/// @throws Xapian::DatabaseModifiedError if a writer committed meanwhile; Error kDatabase if the
/// copy cannot be written; Xapian::Error.
Xapian::Database open_copied_lists(const std::string& path);

}  // namespace kindred
