#pragma once

#include <random>
#include <string>

namespace kindred::attack {

/// Damages one file of a copy of a database, as disks, copies and writers that are overtaken do.
/// Says what it did.
std::string damage(const std::string& database, std::mt19937_64& random);

}  // namespace kindred::attack
