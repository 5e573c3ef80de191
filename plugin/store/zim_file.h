#pragma once

#include <string>

namespace kindred {

/// True for a file that begins as a ZIM file does: an archive of pages (Kiwix), which Kindred opens
/// otherwise than Xapian does. Nothing but a regular file is read. Thread-safe.
bool is_zim(const std::string& path);

}  // namespace kindred
