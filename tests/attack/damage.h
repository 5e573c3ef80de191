#pragma once

#include <random>
#include <string>
#include <vector>

// The parts of damage.cpp: databases (shapes.cpp), what is done to them (damages.cpp), and what
// Xapian alone does with the result (plain_xapian.cpp).

namespace kindred::attack {

/// A database to be damaged: a file, or a folder without folders in it.
struct Shape {
  std::string name;
  std::string path;
};

/// Small databases of several kinds, made below `folder`: Kindred's own, with tags, topics and
/// positions; a larger one of several levels; one as notmuch makes them; a single file; a stub of
/// two shards.
std::vector<Shape> make_shapes(const std::string& folder);

/// Damages one file of a copy of a database, as a bad disk, a bad copy or a writer might do.
/// Returns what it did.
std::string damage(const std::string& database, std::mt19937_64& random);

/// Reads everything in a database by Xapian alone: terms, posting lists, values, documents. Stops
/// if a list does not ascend, so it ends unless a call of Xapian does not. Returns 0, even if
/// Xapian throws.
int read_by_xapian(const std::string& database);

/// Gives every document a term, and values in the slots that Kindred writes, by Xapian alone, and
/// commits. Returns 0, even if Xapian throws.
int write_by_xapian(const std::string& database);

}  // namespace kindred::attack
