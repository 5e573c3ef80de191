#include "plugin/store/section_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/replacement.h"
#include "config/shown.h"
#include "gpu/workers.h"
#include "plugin/store/kept_files.h"

namespace kindred {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds numbers as they are");

constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;  // bytes with one checksum
constexpr std::uint64_t kAlignment = 4096;
constexpr std::size_t kFixedBytes = 40;
constexpr std::size_t kEntryBytes = 24;
constexpr std::uint32_t kMostSections = 1000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 44;

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
void append_number(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// The name of a file, given its header, which ends with its checksum.
std::string name_of(std::string_view header) {
  return checksum_text(header.substr(0, header.size() - sizeof(std::uint64_t)));
}

[[noreturn]] void fail(const std::string& path, std::error_code fault) {
  throw Error(Errc::kDatabase, path + ": cannot be written: " + fault.message());
}

}  // namespace

std::string SectionWriter::header(std::size_t threads) const {
  std::size_t chunks = 0;
  for (const Section& section : sections_) chunks += number_of_chunks(section.bytes, kChunkBytes);

  // The size of the header comes first, since the first section begins behind it.
  const std::uint64_t size =
      kFixedBytes + kEntryBytes * sections_.size() + sizeof(std::uint64_t) * (chunks + 1);

  std::string table;
  std::string checksums;
  std::uint64_t offset = aligned(size);
  std::uint64_t end = size;
  for (const Section& section : sections_) {
    append_number(table, section.kind);
    append_number(table, section.element);
    append_number(table, offset);
    append_number(table, section.bytes);

    // Threads take chunks in any order, so each checksum has its place.
    std::vector<std::uint64_t> of_section(number_of_chunks(section.bytes, kChunkBytes));
    for_each_chunk(section.bytes, kChunkBytes, threads, [&](std::uint64_t begin, std::uint64_t to) {
      of_section[begin / kChunkBytes] = XXH3_64bits(section.data + begin, to - begin);
    });
    for (const std::uint64_t checksum : of_section) append_number(checksums, checksum);

    // The file ends with the last byte that counts, and the next section begins at a full block.
    end = offset + section.bytes;
    offset = aligned(end);
  }

  std::string bytes = magic_;
  append_number(bytes, static_cast<std::uint32_t>(sections_.size()));
  append_number(bytes, std::uint32_t{0});
  append_number(bytes, size);
  append_number(bytes, end);
  bytes += table + checksums;

  // Last, the checksum of all of the header, which is the name of the contents, too.
  append_number(bytes, static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  return bytes;
}

void SectionWriter::write(const GuardedFile& file, std::size_t threads) const {
  replace(file, header(threads), threads);
}

std::string SectionWriter::name(std::size_t threads) const { return name_of(header(threads)); }

std::string SectionWriter::write_named(const GuardedFolder& folder, const Owners& owners,
                                       std::size_t threads) const {
  const std::string bytes = header(threads);
  std::string name = name_of(bytes);

  const GuardedFile file(folder, name, owners);
  if (!is_whole(file, name, threads)) replace(file, bytes, threads);
  return name;
}

/// True if the file has these contents.
bool SectionWriter::is_whole(const GuardedFile& file, const std::string& name,
                             std::size_t threads) const {
  try {
    const SectionReader there(file, "the file", magic_, threads);
    there.verify();
    return there.name() == name;
  } catch (const Error&) {
    return false;
  }
}

/// `bytes`: the header.
void SectionWriter::replace(const GuardedFile& replaced, const std::string& bytes,
                            std::size_t threads) const {
  const std::string& path = replaced.path();
  Replacement replacement(replaced);
  if (replacement.fault()) fail(path, replacement.fault());
  const int file = replacement.descriptor();

  // A full disk is found before anything is written.
  const auto size = number_at<std::uint64_t>(bytes, 32);
  if (const int fault = ::posix_fallocate(file, 0, static_cast<off_t>(size)); fault != 0)
    fail(path, {fault, std::generic_category()});

  std::error_code fault = write_at(file, 0, bytes);
  for (std::size_t i = 0; i < sections_.size() && !fault; ++i) {
    const auto offset = number_at<std::uint64_t>(bytes, kFixedBytes + kEntryBytes * i + 8);
    fault = write_at(file, offset, {sections_[i].data, sections_[i].bytes});
  }
  if (!fault && ::fsync(file) != 0) fault = last_fault();
  if (fault) fail(path, fault);

  // If the disk has kept something else, the old file stays.
  if (!is_whole(replacement.written(), name_of(bytes), threads))
    throw Error(Errc::kDatabase, path + ": what was written cannot be read back");
  if (const std::error_code misplaced = replacement.place()) fail(path, misplaced);
}

SectionReader::SectionReader(const GuardedFile& file, std::string what, std::string_view magic,
                             std::size_t threads)
    : path_(file.path()), what_(std::move(what)), threads_(threads), file_(file.open(O_RDONLY)) {
  struct stat status {};
  if (::fstat(file_, &status) != 0)
    throw Error(Errc::kNotFound, path_ + ": cannot be read: " + last_fault().message());
  size_ = static_cast<std::uint64_t>(status.st_size);
  stamp_ = stamp_of(status);
  check_magic(magic);
  read_header();
}

void SectionReader::refuse(const std::string& fault) const {
  throw Error(Errc::kCorrupt, path_ + ": " + what_ + " is damaged: " + fault);
}

/// First of all, since the rest of a file of another kind or version may have any form.
void SectionReader::check_magic(std::string_view magic) const {
  std::string found(std::min<std::uint64_t>(size_, kMagicBytes), '\0');
  read_at(0, found.data(), found.size());
  if (found == magic) return;

  const std::string_view kind = magic.substr(0, magic.find_last_not_of(" 0123456789") + 1);
  if (!found.starts_with(kind))
    refuse("expected it to begin with '" + std::string(kind) + "', found '" + shown(found) + "'");
  throw Error(Errc::kUnsupported, path_ + ": " + what_ + " is of another version: expected '" +
                                      std::string(magic) + "', found '" + shown(found) + "'");
}

void SectionReader::read_header() {
  if (size_ < kFixedBytes || size_ > kMostBytes)
    refuse("it has " + std::to_string(size_) + " bytes");

  std::string header(kFixedBytes, '\0');
  read_at(0, header.data(), header.size());

  // Lengths are held against each other and the file before any of them is used, since the checksum
  // can only be computed once the header is read.
  const auto sections = number_at<std::uint32_t>(header, 16);
  const auto features = number_at<std::uint32_t>(header, 20);
  const auto size = number_at<std::uint64_t>(header, 24);
  const auto file_bytes = number_at<std::uint64_t>(header, 32);
  const std::uint64_t least = kFixedBytes + kEntryBytes * std::uint64_t{sections} + 8;
  const std::uint64_t most = least + sizeof(std::uint64_t) * (size_ / kChunkBytes + sections);

  if (file_bytes != size_)
    refuse("expected " + std::to_string(file_bytes) + " bytes, found " + std::to_string(size_));
  if (sections > kMostSections || size < least || size > most || size > size_)
    refuse("its lengths do not fit together");

  header.resize(size);
  read_at(0, header.data(), header.size());
  const auto checksum = number_at<std::uint64_t>(header, size - 8);
  if (XXH3_64bits(header.data(), size - 8) != checksum)
    refuse("the checksum of its header differs");

  // From here on, the header is as it was written.
  if (features != 0) refuse("it needs features that this version lacks");
  name_ = name_of(header);
  parse_table(header, sections, file_bytes);
}

void SectionReader::parse_table(std::string_view header, std::uint32_t sections,
                                std::uint64_t file_bytes) {
  const std::size_t checksums_at = kFixedBytes + kEntryBytes * sections;
  std::size_t chunks = 0;
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::size_t at = kFixedBytes + kEntryBytes * i;
    Section section;
    section.kind = number_at<std::uint32_t>(header, at);
    section.element = number_at<std::uint32_t>(header, at + 4);
    section.offset = number_at<std::uint64_t>(header, at + 8);
    section.bytes = number_at<std::uint64_t>(header, at + 16);
    section.first_checksum = chunks;

    if (section.element == 0 || section.bytes % section.element != 0 ||
        section.offset > file_bytes || section.bytes > file_bytes - section.offset)
      refuse("a section is not inside the file");

    chunks += number_of_chunks(section.bytes, kChunkBytes);
    sections_.push_back(section);
  }

  // The checksums of all sections follow the table, and nothing else does but that of the header.
  if (checksums_at + sizeof(std::uint64_t) * (chunks + 1) != header.size())
    refuse("it lacks checksums");
  for (std::size_t i = 0; i < chunks; ++i)
    checksums_.push_back(
        number_at<std::uint64_t>(header, checksums_at + sizeof(std::uint64_t) * i));
}

void SectionReader::read_at(std::uint64_t offset, char* to, std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t got = ::pread(file_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(last_fault().message());
    if (got == 0) refuse("it ends too early");
    to += got;
    bytes -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

const SectionReader::Section& SectionReader::section_of(std::uint32_t kind,
                                                        std::size_t element) const {
  const auto found = std::ranges::find(sections_, kind, &Section::kind);
  if (found == sections_.end() || found->element != element)
    refuse("it has no section " + std::to_string(kind));
  return *found;
}

/// `begin`: of the chunk in its section.
void SectionReader::read_chunk(const Section& section, std::uint64_t begin, char* to,
                               std::size_t bytes) const {
  read_at(section.offset + begin, to, bytes);
  const std::uint64_t expected = checksums_[section.first_checksum + begin / kChunkBytes];
  const std::uint64_t found = XXH3_64bits(to, bytes);
  if (found != expected)
    refuse("section " + std::to_string(section.kind) + ": expected the checksum " +
           std::to_string(expected) + ", found " + std::to_string(found));
}

void SectionReader::read(const Section& section, char* to) const {
  for_each_chunk(section.bytes, kChunkBytes, threads_, [&](std::uint64_t begin, std::uint64_t end) {
    read_chunk(section, begin, to + begin, end - begin);
  });
}

std::string SectionReader::read_text(std::uint32_t kind) const {
  const Section& section = section_of(kind, 1);
  std::string text(section.bytes, '\0');
  read(section, text.data());
  return text;
}

void SectionReader::verify() const {
  for (const Section& section : sections_) {
    for_each_chunk(section.bytes, kChunkBytes, threads_,
                   [&](std::uint64_t begin, std::uint64_t end) {
                     std::string chunk(end - begin, '\0');
                     read_chunk(section, begin, chunk.data(), chunk.size());
                   });
  }
}

}  // namespace kindred
