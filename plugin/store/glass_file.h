#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "plugin/store/block.h"

namespace kindred {

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
  ~GlassFile();
  GlassFile(const GlassFile&) = delete;
  GlassFile& operator=(const GlassFile&) = delete;

  std::uint64_t device() const { return device_; }
  std::uint64_t inode() const { return inode_; }

  /// @throws Error kCorrupt if the block is not in the file, or damaged.
  GlassBlock block(std::uint32_t number) const;

  /// A block without its items: reads a few bytes.
  GlassBlock block_header(std::uint32_t number) const;

 private:
  GlassBlock read(std::uint32_t number, std::size_t size) const;

  int file_;
  std::uint32_t block_size_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

}  // namespace kindred
