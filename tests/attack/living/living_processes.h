#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/settings.h"
#include "tests/attack/living/living_operations.h"

// What the processes do that living_index starts beside itself, to let them die.
namespace kindred::attack {

/// Writes documents, or deletes them, without a commit.
void write_edits(Xapian::WritableDatabase& database, const std::vector<Edit>& edits);

/// What the process of a writer does.
[[noreturn]] void be_writer(const std::string& path, const std::vector<std::vector<Edit>>& commits,
                            Action action);

/// Keeps a mirror, in one of three ways, and writes the documents as they are, until it is killed.
[[noreturn]] void be_keeper(const std::string& path, const std::string& mirror, Settings settings,
                            const std::vector<Edit>& same, unsigned way);

}  // namespace kindred::attack
