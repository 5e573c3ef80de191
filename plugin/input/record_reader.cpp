#include "plugin/input/record_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

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
  explicit InputFile(const std::string& path) : name_(path), file_(open_input(path)) {
    if (file_ < 0) {
      throw Error(Errc::kNotFound, name_ + ": cannot be opened: " + std::strerror(errno));
    }

    struct stat found = {};
    if (fstat(file_, &found) == 0 && S_ISREG(found.st_mode))
      size_ = static_cast<std::uint64_t>(found.st_size);
  }
  ~InputFile() {
    close(file_);
    inflateEnd(&stream_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads the next bytes into `room`, 1 byte to 2 GiB, and returns how many; 0 at the end.
  /// Blocks.
  /// @throws Error kNotFound if the file cannot be read; kCorrupt if it is damaged or truncated
  /// gzip, after everything before the damage has been returned. Both messages name the file.
  std::size_t read(std::span<char> room) {
    if (state_ == State::kStart) start();
    if (state_ == State::kPlain) return read_plain(room);
    return read_gzip(room);
  }

  RecordReader::Position position() const { return {std::min(read_, size_), size_}; }

 private:
  enum class State { kStart, kPlain, kMember, kBehindMember };

  std::size_t read_file(void* room, std::size_t size) {
    while (true) {
      const ssize_t got = ::read(file_, room, size);
      if (got >= 0) {
        read_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno == EINTR) continue;
      throw Error(Errc::kNotFound, name_ + ": cannot be read: " + std::strerror(errno));
    }
  }

  /// Makes sure that this many bytes are in the buffer; false if the file ends before.
  bool have(std::size_t bytes) {
    // What is left moves to the front, to make room behind it.
    if (end_ - begin_ >= bytes) return true;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;

    while (end_ < bytes) {
      const std::size_t got = read_file(buffer_.data() + end_, buffer_.size() - end_);
      if (got == 0) return false;
      end_ += got;
    }
    return true;
  }

  bool at_magic() { return have(2) && std::equal(std::begin(kMagic), std::end(kMagic), next()); }
  const unsigned char* next() const { return buffer_.data() + begin_; }
  void start() {
    if (!at_magic()) {
      state_ = State::kPlain;
      return;
    }

    constexpr int kGzipOnly = 16;  // zlib.h, inflateInit2()
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw Error(Errc::kOutOfMemory, name_ + ": out of memory");
    }
    state_ = State::kMember;
  }

  /// Goes on to the next member; false at the end of the file.
  bool next_member() {
    if (!have(1)) return false;

    if (at_magic()) {
      inflateReset(&stream_);
      state_ = State::kMember;
      return true;
    }

    while (have(1) && *next() == 0) ++begin_;
    if (have(1)) refuse("something else follows it");
    return false;
  }

  std::size_t read_plain(std::span<char> room) {
    if (begin_ == end_) return read_file(room.data(), room.size());
    const std::size_t size = std::min(room.size(), end_ - begin_);
    std::copy_n(next(), size, room.begin());
    begin_ += size;
    return size;
  }

  std::size_t read_gzip(std::span<char> room) {
    while (true) {
      if (state_ == State::kBehindMember && !next_member()) return 0;
      if (!have(1)) refuse("it ends too early");

      stream_.next_in = buffer_.data() + begin_;
      stream_.avail_in = static_cast<uInt>(end_ - begin_);
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      const auto size = static_cast<uInt>(room.size());
      stream_.avail_out = size;

      const int code = inflate(&stream_, Z_NO_FLUSH);
      begin_ = end_ - stream_.avail_in;
      if (code == Z_STREAM_END) state_ = State::kBehindMember;

      // After a fault, inflate() reports it again at the next call, when the bytes before it have
      // been returned.
      if (stream_.avail_out < size) return size - stream_.avail_out;

      if (code == Z_MEM_ERROR) throw Error(Errc::kOutOfMemory, name_ + ": out of memory");
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        refuse(stream_.msg == nullptr ? "its bytes are not gzip" : stream_.msg);
      }
    }
  }

  [[noreturn]] void refuse(const std::string& fault) const {
    throw Error(Errc::kCorrupt, name_ + ": damaged gzip file: " + fault);
  }

  const std::string name_;
  const int file_;
  std::uint64_t size_ = 0;  // of a regular file
  std::uint64_t read_ = 0;  // of it
  State state_ = State::kStart;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(kBufferBytes);
  std::size_t begin_ = 0;  // the part of the buffer that is still to be used
  std::size_t end_ = 0;
  z_stream stream_ = {};
};

struct RecordReader::Impl {
  Impl(const std::string& path, std::size_t max_line_bytes)
      : file(path), max_bytes(max_line_bytes) {}

  InputFile file;
  const std::size_t max_bytes;  // of a line
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  std::string_view unread;   // the rest of the buffer
  std::uint64_t number = 0;  // of the line read last

  /// Refills the buffer;  false at the end of the input.
  bool fill() {
    unread = {buffer.data(), file.read(buffer)};
    return !unread.empty();
  }
  /// Reads the next line into an empty one, without its end;  false at the end of the input.
  bool read_line(RecordLine& line) {
    if (unread.empty() && !fill()) return false;
    line.number = ++number;

    // A line may lie in several buffers.
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

  void append(RecordLine& line, std::string_view chunk) const {
    // A line that is too long is read to its end, but not kept.
    if (!line.fault.empty()) return;
    if (chunk.size() <= max_bytes - line.text.size()) {
      line.text.append(chunk);
      return;
    }

    std::string().swap(line.text);
    line.fault = "longer than the " + std::to_string(max_bytes) + " bytes that a line may have";
  }
};

RecordReader::RecordReader(const std::string& path, std::size_t max_line_bytes)
    : impl_(std::make_unique<Impl>(path, max_line_bytes)) {}

RecordReader::~RecordReader() = default;

std::optional<RecordLine> RecordReader::next() {
  RecordLine line;
  while (impl_->read_line(line)) {
    // Line 1 may begin with a byte order mark, and lines of Windows end with two characters.
    if (line.number == 1 && line.text.starts_with(kByteOrderMark)) line.text.erase(0, 3);
    if (line.text.ends_with('\r')) line.text.pop_back();

    // A blank line is no record; one that is too long is, with its fault.
    if (!line.fault.empty() || !is_blank(line.text)) return line;
    line.text.clear();
  }
  return {};
}

RecordReader::Position RecordReader::position() const { return impl_->file.position(); }

}  // namespace kindred
