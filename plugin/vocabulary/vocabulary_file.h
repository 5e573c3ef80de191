#pragma once

#include <memory>
#include <string>

#include "config/api.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// Where the vocabulary of a database is kept, as tuning_path() says for the tuning.
KINDRED_API std::string vocabulary_path(const std::string& database);

/// The vocabulary of a database; null if it has none.
/// @throws Error that names the file and says what was expected: kCorrupt if it is damaged,
/// kUnsupported if its format is not the one that this version of Kindred reads, kNotFound if it
/// cannot be read, kInvalidArgument if it is not a regular file.
std::shared_ptr<const Vocabulary> read_vocabulary(const std::string& database);

/// Stores it on disk. A reader finds either the old vocabulary or the new one.
/// @throws Error as SectionWriter::write(); what was there is then unchanged.
void write_vocabulary(const std::string& database, const Vocabulary& vocabulary);

/// Removes it; true if there was one. @throws Error kNotFound if it cannot be removed.
bool remove_vocabulary(const std::string& database);

/// The Vocabulary::stamp() of what a database has now; "" if it has none.
std::string vocabulary_stamp(const std::string& database);

}  // namespace kindred
