#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kindred {

/// A block of a table of a glass database: a leaf, whose items are keys with their data, or a
/// branch, whose items are blocks of the level below it, each with the key where it begins. Xapian
/// keeps no checksum of a block, so every length and offset is checked before it is used.
class GlassBlock {
 public:
  /// The bytes of a block before its items.
  static constexpr std::size_t kHeaderSize = 11;

  struct LeafItem {
    std::string_view key;
    unsigned component;      ///< 1 for the first piece of what the key has
    std::string_view bytes;  ///< of the whole item, key and all
  };

  struct BranchItem {
    std::uint32_t child;
    std::string_view key;  ///< may be cut, or empty: see key_bound()
    unsigned component;
  };

  /// Takes a whole block, or the header of one: then it has no items.
  /// @throws Error kCorrupt if this cannot be a block of a tree.
  explicit GlassBlock(std::string bytes);

  std::uint32_t revision() const { return revision_; }
  unsigned level() const { return level_; }  ///< 0: a leaf
  std::size_t items() const { return items_; }

  /// Items in the order of their keys. The views are into this block.
  /// @throws Error kCorrupt if the item is not inside the block.
  LeafItem leaf_item(std::size_t i) const;
  BranchItem branch_item(std::size_t i) const;

 private:
  std::size_t item_offset(std::size_t i) const;
  unsigned byte(std::size_t at) const;
  unsigned number16(std::size_t at) const;
  std::uint32_t number32(std::size_t at) const;
  std::string_view inside(std::size_t at, std::size_t size) const;

  std::string bytes_;
  std::uint32_t revision_ = 0;
  unsigned level_ = 0;
  std::size_t items_ = 0;
};

/// Where a leaf of a termlist table begins: with a document, or inside what the table has of it.
struct TermlistBound {
  Xapian::docid document = 0;
  bool is_inside = false;
  bool operator==(const TermlistBound&) const = default;
};

/// The document of a key of a leaf. The keys of a document are its packed docid, and the same with
/// a zero byte appended. @throws Error kCorrupt if this is no such key.
Xapian::docid key_document(std::string_view key);

/// Where the child of a branch item begins, if its key is not empty. The key may be cut after the
/// first byte that tells it from the key before. @throws Error kCorrupt if this is no key.
TermlistBound key_bound(std::string_view key, unsigned component);

}  // namespace kindred
