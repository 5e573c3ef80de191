#pragma once

#include <xapian.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "config/regular_file.h"

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

/// The tables of a glass database, in the order of its header.
enum class GlassTable { kPostlist, kDocdata, kTermlist, kPosition, kSpelling, kSynonym };
inline constexpr std::size_t kGlassTables = 6;

/// Where the tree of a table begins.
struct GlassRoot {
  std::uint32_t block = 0;
  std::uint32_t level = 0;  ///< 0: the root is a leaf
  bool is_fake = true;      ///< the table is empty and has no root
  std::uint64_t entries = 0;
  std::uint32_t block_size = 0;
  bool operator==(const GlassRoot&) const = default;
};

/// What the header of a glass database says of its current revision.
struct GlassHeader {
  std::string uuid;  ///< as Xapian::Database::get_uuid() gives it
  std::uint64_t revision = 0;
  std::array<GlassRoot, kGlassTables> roots;
  std::uint64_t documents = 0;

  const GlassRoot& root(GlassTable table) const { return roots[static_cast<std::size_t>(table)]; }
};

/// Reads the bytes of a header (see glass_header() in plugin/store/database_reader.h).
/// @throws Error kUnsupported if this is not the header of a database whose format is known;
/// kCorrupt if it is damaged.
GlassHeader parse_glass_header(const std::string& bytes);

/// The file of a table, open for reading.
class GlassFile {
 public:
  /// @throws Error kNotFound if there is no such file.
  GlassFile(const std::string& path, GlassTable table, std::uint32_t block_size);

  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }

  /// @throws Error kCorrupt if the block is not in the file, or damaged.
  GlassBlock block(std::uint32_t number) const;

  /// A block without its items: reads a few bytes.
  GlassBlock block_header(std::uint32_t number) const;

  /// XXH3 of the bytes of a block, whatever they are. @throws Error kCorrupt as block().
  std::uint64_t checksum(std::uint32_t number) const;

 private:
  std::string read(std::uint32_t number, std::size_t size) const;

  const OpenFile file_;
  std::uint32_t block_size_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

/// True for a glass database in a folder.
bool has_glass(const std::filesystem::path& path);

/// True for a glass database in a single file.
bool is_single_file(const std::string& path);

}  // namespace kindred
