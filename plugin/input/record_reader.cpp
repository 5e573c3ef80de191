#include "plugin/input/record_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::size_t kPackedBytes = 1 << 17;
constexpr unsigned char kMagic[] = {0x1F, 0x8B};

int open_input(const std::string& path) {
  check_path(path, "an input file");
  errno = 0;
  return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                     : open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

constexpr std::size_t kBufferBytes = 1 << 17;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

/// The bytes of a file, a pipe or standard input. A gzip file is known by its first two bytes, and
/// is unpacked member by member. Zero bytes after a member are padding, as for gzip(1); anything
/// else there is damage. For one thread.
class InputFile {
 public:
  /// `path` may be "-" for standard input.
  /// @throws Error kNotFound if the file cannot be opened.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads the next bytes into `room`, and returns how many; 0 at the end. Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip, after everything before the damage has been returned. Both messages name the file.
  std::size_t read(std::span<char> room);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct InputFile::Impl {
  enum class State { kStart, kPlain, kMember, kBehindMember };

  explicit Impl(const std::string& path) : name(path), file(open_input(path)) {
    if (file < 0) {
      throw Error(Errc::kNotFound, name + ": cannot be opened: " + std::strerror(errno));
    }
  }
  ~Impl() {
    close(file);
    inflateEnd(&stream);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::size_t read_file(void* room, std::size_t size);
  bool have(std::size_t bytes);
  bool at_magic() { return have(2) && std::equal(std::begin(kMagic), std::end(kMagic), next()); }
  const unsigned char* next() const { return buffer.data() + begin; }
  void start();
  bool next_member();
  std::size_t read_plain(std::span<char> room);
  std::size_t read_gzip(std::span<char> room);
  [[noreturn]] void refuse(const std::string& fault) const {
    throw Error(Errc::kCorrupt, name + ": damaged gzip file: " + fault);
  }

  const std::string name;
  const int file;
  State state = State::kStart;
  std::vector<unsigned char> buffer = std::vector<unsigned char>(kPackedBytes);
  std::size_t begin = 0, end = 0;  // the part of the buffer that is still to be used
  z_stream stream = {};
};

std::size_t InputFile::Impl::read_file(void* room, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(file, room, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    throw Error(Errc::kNotFound, name + ": cannot be read: " + std::strerror(errno));
  }
}

/// Makes sure that this many bytes are in the buffer; false if the file ends before.
bool InputFile::Impl::have(std::size_t bytes) {
  if (end - begin >= bytes) return true;
  std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin),
            buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.begin());
  end -= begin;
  begin = 0;
  while (end < bytes) {
    const std::size_t got = read_file(buffer.data() + end, buffer.size() - end);
    if (got == 0) return false;
    end += got;
  }
  return true;
}

void InputFile::Impl::start() {
  if (!at_magic()) {
    state = State::kPlain;
    return;
  }
  constexpr int kGzipOnly = 16;  // zlib.h, inflateInit2()
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    throw Error(Errc::kOutOfMemory, name + ": out of memory");
  }
  state = State::kMember;
}

/// Goes on to the next member; false at the end of the file.
bool InputFile::Impl::next_member() {
  if (!have(1)) return false;
  if (at_magic()) {
    inflateReset(&stream);
    state = State::kMember;
    return true;
  }
  while (have(1) && *next() == 0) ++begin;
  if (have(1)) refuse("something else follows it");
  return false;
}

std::size_t InputFile::Impl::read_plain(std::span<char> room) {
  if (begin == end) return read_file(room.data(), room.size());
  const std::size_t size = std::min(room.size(), end - begin);
  std::copy_n(next(), size, room.begin());
  begin += size;
  return size;
}

std::size_t InputFile::Impl::read_gzip(std::span<char> room) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  while (true) {
    if (state == State::kBehindMember && !next_member()) return 0;
    if (!have(1)) refuse("it ends too early");
    stream.next_in = buffer.data() + begin;
    stream.avail_in = static_cast<uInt>(end - begin);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    const auto size = static_cast<uInt>(std::min(room.size(), kMost));
    stream.avail_out = size;
    const int code = inflate(&stream, Z_NO_FLUSH);
    begin = end - stream.avail_in;
    if (code == Z_STREAM_END) state = State::kBehindMember;
    // After a fault, inflate() reports it again at the next call, when the bytes before it have
    // been returned.
    if (stream.avail_out < size) return size - stream.avail_out;
    if (code == Z_MEM_ERROR) throw Error(Errc::kOutOfMemory, name + ": out of memory");
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      refuse(stream.msg == nullptr ? "its bytes are not gzip" : stream.msg);
    }
  }
}

InputFile::InputFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

InputFile::~InputFile() = default;

std::size_t InputFile::read(std::span<char> room) {
  if (room.empty()) return 0;
  if (impl_->state == Impl::State::kStart) impl_->start();
  return impl_->state == Impl::State::kPlain ? impl_->read_plain(room) : impl_->read_gzip(room);
}

struct RecordReader::Impl {
  Impl(const std::string& path, std::size_t max_line_bytes)
      : file(path), max_bytes(max_line_bytes) {}

  InputFile file;
  const std::size_t max_bytes;  // of a line
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  std::string_view unread;   // the rest of the buffer
  std::uint64_t number = 0;  // of the line read last

  /// Refills the buffer; false at the end of the input.
  bool fill();
  /// Reads the next line into an empty one, without its end; false at the end of the input.
  bool read_line(RecordLine& line);
  void append(RecordLine& line, std::string_view piece) const;
};

bool RecordReader::Impl::fill() {
  unread = {buffer.data(), file.read(buffer)};
  return !unread.empty();
}

void RecordReader::Impl::append(RecordLine& line, std::string_view piece) const {
  if (!line.fault.empty()) return;
  if (piece.size() <= max_bytes - line.text.size()) {
    line.text.append(piece);
    return;
  }
  std::string().swap(line.text);
  line.fault = "longer than the " + std::to_string(max_bytes) + " bytes that a line may have";
}

bool RecordReader::Impl::read_line(RecordLine& line) {
  if (unread.empty() && !fill()) return false;
  line.number = ++number;
  do {
    const std::size_t end = unread.find('\n');
    append(line, unread.substr(0, end));
    if (end != unread.npos) {
      unread.remove_prefix(end + 1);
      return true;
    }
  } while (fill());
  return true;
}

RecordReader::RecordReader(const std::string& path, std::size_t max_line_bytes)
    : impl_(std::make_unique<Impl>(path, max_line_bytes)) {}

RecordReader::~RecordReader() = default;

std::optional<RecordLine> RecordReader::next() {
  RecordLine line;
  while (impl_->read_line(line)) {
    if (line.number == 1 && line.text.starts_with(kByteOrderMark)) line.text.erase(0, 3);
    if (line.text.ends_with('\r')) line.text.pop_back();
    if (!line.fault.empty() || !is_blank(line.text)) return line;
    line.text.clear();
  }
  return {};
}

}  // namespace kindred
