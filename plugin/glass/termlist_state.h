#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/glass/block.h"
#include "plugin/glass/file.h"

namespace kindred {

/// What is remembered of the termlist table of a glass database at one revision, so that a later
/// revision can be compared with it. The table has the terms of every document, and which value
/// slots it uses.
struct TermlistState {
  struct Leaf {
    std::uint32_t block = 0;
    TermlistBound begin;  ///< no item of the leaf is before it
  };

  /// A block above the leaves, with its part of `leaves`.
  struct Branch {
    std::uint32_t block = 0;
    std::uint32_t level = 0;
    std::uint32_t first_leaf = 0;
    std::uint32_t leaves = 0;
  };

  std::string uuid;  ///< as Xapian::Database::get_uuid() gives it
  std::uint64_t revision = 0;
  std::uint64_t device = 0;  ///< of the file of the table, as its inode
  std::uint64_t inode = 0;
  GlassRoot root;
  std::uint64_t documents = 0;   ///< in the database
  std::vector<Leaf> leaves;      ///< in the order of their keys
  std::vector<Branch> branches;  ///< each before the branches below it, in the order of their keys
};

}  // namespace kindred
