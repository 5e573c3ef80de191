#pragma once

#include <string>
#include <vector>

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

}  // namespace kindred::attack
