#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Reads the value slots of a database that is to be written: the first 256, and those of the
/// settings. Xapian reads them while it writes, in a destructor, so damage there would end the
/// process. Some 0.1 us per value. `path` is for the message.
/// @throws Error kCorrupt if they cannot be read, or have documents that the database has not.
void check_values(const Xapian::Database& database, const std::string& path,
                  const Settings& settings);

/// The same where only documents with these docids are to be written: of each slot what Xapian then
/// reads, which takes the same time whatever the size of the database.
void check_values_of(const Xapian::Database& database, const std::string& path,
                     const Settings& settings, std::vector<Xapian::docid> docids);

}  // namespace kindred
