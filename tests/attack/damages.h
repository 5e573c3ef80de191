#pragma once

#include <random>
#include <string>

namespace kindred::attack {

/// Damages one file of a copy of a database, as a bad disk, a bad copy or a writer might do.
/// Returns what it did.
std::string damage(const std::string& database, std::mt19937_64& random);

}  // namespace kindred::attack
