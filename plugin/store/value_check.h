#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Checks the value slots of a database before it is written: reads the first 256, and those of the
/// settings. Xapian reads them while it writes, in a destructor, so damage there would end the
/// process. Takes some 0.1 us per value. `path` is for the message.
/// @throws Error kCorrupt if they cannot be read, or list documents that the database does not
/// have.
void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings);

/// The same for a database in which only these documents are to be written. Reads only the parts of
/// each slot that Xapian then reads, so the time does not depend on the size of the database.
void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids);

}  // namespace kindred
