#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/guarded_file.h"

namespace kindred {

// A file of large arrays, each in a section of its own, which is verified before anything in it is
// interpreted. All numbers are little-endian:
//
//     16 bytes   magic: what the file holds, and the version of that
//      4         number of sections
//      4         0: bits of features that a reader must know
//      8         bytes of this header, with its checksum
//      8         bytes of the file
//     24 each    sections: kind (4), bytes of an element (4), offset (8), bytes (8)
//      8 each    checksums: XXH3 of each chunk of 4 MiB of each section
//      8         XXH3 of all of the header before
//
// Sections begin at multiples of 4,096 bytes.

/// What a section file is, in its first 16 bytes: a name, and behind it spaces and the digits of
/// the version.
inline constexpr std::size_t kMagicBytes = 16;

/// Collects sections, and writes them. Arrays are borrowed until write() has returned.
class SectionWriter {
 public:
  /// `magic` has kMagicBytes.
  explicit SectionWriter(std::string_view magic) : magic_(magic) {}

  /// Each kind may be added once.
  template <std::ranges::contiguous_range Values>
  void add(std::uint32_t kind, const Values& values) {
    using T = std::ranges::range_value_t<Values>;
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    sections_.push_back({kind, sizeof(T), reinterpret_cast<const char*>(std::ranges::data(values)),
                         std::ranges::size(values) * sizeof(T)});
  }

  /// Replaces the file by one with these sections (see Replacement). Space is reserved first, and
  /// the new file is read back before it takes the place of the old one. Works on up to `threads`
  /// threads.
  /// @throws Error kDatabase that names the file and says what failed; kInvalidArgument as
  /// Replacement; the old file is then unchanged.
  void write(const GuardedFile& file, std::size_t threads) const;

  /// Writes a file into a folder, under the name that SectionReader::name() gives it. Where the
  /// same file is there, and whole, it stays. Returns the name.
  /// @throws Error as write().
  std::string write_named(const GuardedFolder& folder, const Owners& owners,
                          std::size_t threads) const;

  /// SectionReader::name() of a file with these sections.
  std::string name(std::size_t threads) const;

 private:
  struct Section {
    std::uint32_t kind;
    std::uint32_t element;
    const char* data;
    std::uint64_t bytes;
  };

  std::string header(std::size_t threads) const;
  void replace(const GuardedFile& file, const std::string& header, std::size_t threads) const;
  bool is_whole(const GuardedFile& file, const std::string& name, std::size_t threads) const;

  std::string magic_;
  std::vector<Section> sections_;
};

/// Reads a section file. For one thread.
class SectionReader {
 public:
  /// Reads the header. `what` says in messages what the file is. read() works on up to `threads`
  /// threads.
  /// @throws Error kNotFound if there is none or it cannot be read; kInvalidArgument as
  /// GuardedFile::check(); kUnsupported if it is of another version; kCorrupt if it is a file of
  /// another kind, or damaged.
  SectionReader(const GuardedFile& file, std::string what, std::string_view magic,
                std::size_t threads);

  /// The array of a section. @throws Error kCorrupt if there is no such section, or it is damaged.
  template <typename T>
  std::vector<T> read(std::uint32_t kind) const {
    const Section& section = section_of(kind, sizeof(T));
    std::vector<T> values(section.bytes / sizeof(T));
    read(section, reinterpret_cast<char*>(values.data()));
    return values;
  }
  std::string read_text(std::uint32_t kind) const;

  void verify() const;  ///< all sections; @throws as read()

  /// A name for these contents: the checksum of the header, which has those of all sections, as 16
  /// hexadecimal digits.
  const std::string& name() const { return name_; }

  const std::string& stamp() const { return stamp_; }  ///< file_stamp() of the file that is read

  /// An error about this file. @throws Error kCorrupt.
  [[noreturn]] void refuse(const std::string& fault) const;

 private:
  struct Section {
    std::uint32_t kind = 0;
    std::uint32_t element = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::size_t first_checksum = 0;
  };

  void check_magic(std::string_view magic) const;
  void read_header();
  void parse_table(std::string_view header, std::uint32_t sections, std::uint64_t file_bytes);
  void read_at(std::uint64_t offset, char* to, std::size_t bytes) const;
  const Section& section_of(std::uint32_t kind, std::size_t element) const;
  void read(const Section& section, char* to) const;
  void read_chunk(const Section& section, std::uint64_t begin, char* to, std::size_t bytes) const;

  const std::string path_;
  const std::string what_;
  const std::size_t threads_;
  const OpenFile file_;
  std::uint64_t size_ = 0;
  std::string stamp_;
  std::string name_;
  std::vector<Section> sections_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace kindred
