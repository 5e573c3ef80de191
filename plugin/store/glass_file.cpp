#include "plugin/store/glass_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "plugin/store/packing.h"

namespace kindred {
namespace {

constexpr unsigned kMostLevels = 10;
constexpr unsigned kFirstComponent = 0x2000;
constexpr unsigned kSizeMask = 0x1fff;

/// How docids from `lowest` on are packed: the first byte is `mark` and the highest bits, then come
/// size - 1 bytes, the highest first. The order of the packed bytes is that of the docids.
struct DocidPacking {
  unsigned last_mark;  ///< of first bytes that belong here
  unsigned mark;
  std::size_t size;
  std::uint64_t lowest;
};
constexpr std::array<DocidPacking, 4> kDocidPackings = {{{0x7f, 0x00, 2, 0},
                                                         {0xbf, 0x80, 3, 0x8000},
                                                         {0xdf, 0xc0, 4, 1U << 22},
                                                         {0xe0, 0xe0, 5, 1U << 29}}};

[[noreturn]] void throw_damaged(const char* what) {
  throw Error(Errc::kCorrupt, std::string("a block of the termlist table is damaged: ") + what);
}

struct PackedDocid {
  Xapian::docid docid;
  std::size_t size;  ///< of a whole packed docid, not only of what is there
};

/// The lowest docid whose packed bytes begin with `key`, or with the part of it that is a docid.
PackedDocid unpack_docid(std::string_view key) {
  const unsigned first = static_cast<unsigned char>(key[0]);
  const auto* const packing = std::ranges::find_if(kDocidPackings, [&](const DocidPacking& each) {
    return first <= each.last_mark;
  });
  if (packing == kDocidPackings.end()) throw_damaged("a docid is too large");

  // Keys of branches may be cut. What is missing counts as zeros, which gives the lowest docid.
  std::uint64_t value = first - packing->mark;
  for (std::size_t i = 1; i < packing->size; ++i) {
    const unsigned byte = i < key.size() ? static_cast<unsigned char>(key[i]) : 0U;
    value = value << 8 | byte;
  }

  // A cut key may be below the range of its mark, but a whole one is then packed in a wrong way.
  if (value < packing->lowest && key.size() >= packing->size) {
    throw_damaged("a docid is packed in too many bytes");
  }
  return {static_cast<Xapian::docid>(std::max(value, packing->lowest)), packing->size};
}

constexpr std::string_view kGlassMagic = "\x0f\x0dXapian Glass";
constexpr std::string_view kGlassVersion = "\x04\x6e";
constexpr std::size_t kUuidSize = 16;

std::string file_of(GlassTable table) {
  constexpr std::array<const char*, kGlassTables> kFiles = {"postlist.glass", "docdata.glass",
                                                            "termlist.glass", "position.glass",
                                                            "spelling.glass", "synonym.glass"};
  return kFiles.at(static_cast<std::size_t>(table));
}

std::uint32_t number32(PackedReader& header) {
  const std::uint64_t number = header.number();
  if (number > std::numeric_limits<std::uint32_t>::max()) header.refuse("a number is too large");
  return static_cast<std::uint32_t>(number);
}

/// As uuid_unparse_lower() writes it.
std::string uuid_text(std::string_view bytes) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

GlassRoot parse_root(PackedReader& header) {
  GlassRoot root;
  root.block = number32(header);
  const std::uint32_t flags = number32(header);
  root.level = flags >> 2;
  root.is_fake = (flags & 1) != 0;
  root.entries = header.number();

  // Glass stores the size of blocks without its 11 lowest bits, and allows 2 to 64 KiB.
  const std::uint64_t size = std::uint64_t{number32(header)} << 11;
  if (size < 2048 || size > 65536 || (size & (size - 1)) != 0) {
    header.refuse("a wrong size of blocks");
  }
  root.block_size = static_cast<std::uint32_t>(size);

  number32(header);              // what is compressed
  header.read(header.number());  // the list of free blocks
  return root;
}

}  // namespace

GlassBlock::GlassBlock(std::string bytes) : bytes_(std::move(bytes)) {
  revision_ = number32(0);
  level_ = byte(4);
  if (level_ >= kMostLevels) throw_damaged("its level");

  // The directory of items lies behind the header, two bytes for each.
  const std::size_t end = number16(9);
  if (end < kHeaderSize || (end - kHeaderSize) % 2 != 0) throw_damaged("its number of items");

  if (bytes_.size() == kHeaderSize) return;
  if (end > bytes_.size()) throw_damaged("its number of items");
  items_ = (end - kHeaderSize) / 2;
}

/// Item: size and flags (2 bytes), length of the key (1), key, component (2; the first has none).
GlassBlock::LeafItem GlassBlock::leaf_item(std::size_t i) const {
  const std::size_t at = item_offset(i);
  const unsigned head = number16(at);
  const std::size_t size = (head & kSizeMask) + 3;
  const std::string_view bytes = inside(at, size);

  // The first piece of what a key has says that it is the first, and has no number.
  const std::size_t length = byte(at + 2);
  const bool is_first = (head & kFirstComponent) != 0;
  if (3 + length + (is_first ? 0 : 2) > size) throw_damaged("the size of an item");

  unsigned component = 1;
  if (!is_first) component = number16(at + 3 + length);
  if (component == 0 || (!is_first && component == 1)) throw_damaged("the pieces of an item");
  return {inside(at + 3, length), component, bytes};
}

/// Item: child (4 bytes), length of the key (1), key, component (2).
GlassBlock::BranchItem GlassBlock::branch_item(std::size_t i) const {
  const std::size_t at = item_offset(i);
  const std::size_t length = byte(at + 4);
  return {number32(at), inside(at + 5, length), number16(at + 5 + length)};
}

std::size_t GlassBlock::item_offset(std::size_t i) const {
  const std::size_t at = number16(kHeaderSize + 2 * i);
  if (at < kHeaderSize + 2 * items_) throw_damaged("the place of an item");
  return at;
}

unsigned GlassBlock::byte(std::size_t at) const {
  return static_cast<unsigned char>(inside(at, 1)[0]);
}

unsigned GlassBlock::number16(std::size_t at) const { return byte(at) << 8 | byte(at + 1); }

std::uint32_t GlassBlock::number32(std::size_t at) const {
  return number16(at) << 16 | number16(at + 2);
}

std::string_view GlassBlock::inside(std::size_t at, std::size_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) throw_damaged("an item leaves it");
  return std::string_view(bytes_).substr(at, size);
}

Xapian::docid key_document(std::string_view key) {
  if (key.empty()) throw_damaged("a key is empty");

  // The terms of a document are under its docid, the slots of its values under that and a zero
  // byte.
  const PackedDocid packed = unpack_docid(key);
  const bool is_docid = key.size() == packed.size;
  const bool lists_slots = key.size() == packed.size + 1 && key.back() == '\0';
  if (packed.docid == 0 || !(is_docid || lists_slots)) throw_damaged("a key is no docid");
  return packed.docid;
}

TermlistBound key_bound(std::string_view key, unsigned component) {
  if (key.empty()) throw_damaged("a key is empty");

  const PackedDocid packed = unpack_docid(key);
  if (key.size() < packed.size) return {packed.docid, false};

  // A document begins with the first piece of its terms. Whatever comes later is inside of it.
  return {key_document(key), key.size() > packed.size || component > 1};
}

GlassHeader parse_glass_header(const std::string& bytes) {
  if (bytes.empty()) throw Error(Errc::kUnsupported, "it is not a folder with a glass database");
  if (!bytes.starts_with(kGlassMagic)) throw Error(Errc::kUnsupported, "it is no glass database");

  const std::string name = "its header";
  PackedReader rest(bytes, name);
  rest.read(kGlassMagic.size());
  // The fields of another version may be others.
  if (rest.read(kGlassVersion.size()) != kGlassVersion) {
    throw Error(Errc::kUnsupported, "the version of its format is not known");
  }

  GlassHeader header;
  header.uuid = uuid_text(rest.read(kUuidSize));
  header.revision = number32(rest);
  for (GlassRoot& root : header.roots) root = parse_root(rest);
  header.documents = number32(rest);
  return header;
}

/// O_NONBLOCK: opening a FIFO would wait for its writer.
GlassFile::GlassFile(const std::string& path, GlassTable table, std::uint32_t block_size)
    : file_(::open((path + "/" + file_of(table)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      block_size_(block_size) {
  struct stat about = {};
  if (file_ < 0 || fstat(file_, &about) != 0 || !S_ISREG(about.st_mode))
    throw Error(Errc::kNotFound, file_of(table) + " cannot be read: " + last_fault().message());
  device_ = about.st_dev;
  inode_ = about.st_ino;
}

GlassBlock GlassFile::block(std::uint32_t number) const {
  return GlassBlock(read(number, block_size_));
}

GlassBlock GlassFile::block_header(std::uint32_t number) const {
  return GlassBlock(read(number, GlassBlock::kHeaderSize));
}

std::uint64_t GlassFile::checksum(std::uint32_t number) const {
  const std::string bytes = read(number, block_size_);
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string GlassFile::read(std::uint32_t number, std::size_t size) const {
  std::string bytes(size, '\0');

  // A call may read less than it was asked for, or be interrupted by a signal.
  std::size_t done = 0;
  while (done < size) {
    const off_t at = static_cast<off_t>(number) * block_size_ + static_cast<off_t>(done);
    const ssize_t got = pread(file_, bytes.data() + done, size - done, at);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0) {
      throw Error(Errc::kCorrupt, "block " + std::to_string(number) + " is not in its file");
    } else if (errno != EINTR) {
      throw Error(Errc::kCorrupt,
                  "block " + std::to_string(number) + " cannot be read: " + last_fault().message());
    }
  }

  return bytes;
}

bool has_glass(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::exists(path / "iamglass", none);
}

bool is_single_file(const std::string& path) {
  constexpr std::string_view kGlassMagic = "\x0f\x0dXapian Glass";
  std::string begin(kGlassMagic.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kGlassMagic;
}

}  // namespace kindred
