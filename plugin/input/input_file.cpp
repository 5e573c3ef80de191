#include "plugin/input/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr unsigned char kMagic[] = {0x1F, 0x8B};
constexpr std::size_t kInputBytes = 1 << 17;

int open_input(const std::string& path) {
  check_path(path, "an input file");
  errno = 0;
  return path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                     : open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

struct InputFile::Impl {
  explicit Impl(const std::string& path) : name_(path), file_(open_input(path)) {
    if (file_ < 0) {
      throw Error(Errc::kNotFound, name_ + ": cannot be opened: " + std::strerror(errno));
    }

    struct stat found = {};
    if (fstat(file_, &found) == 0 && S_ISREG(found.st_mode))
      size_ = static_cast<std::uint64_t>(found.st_size);
  }
  ~Impl() {
    close(file_);
    inflateEnd(&stream_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::size_t read(std::span<char> room) {
    if (state_ == State::kStart) start();
    if (state_ == State::kPlain) return read_plain(room);
    return read_gzip(room);
  }

  std::uint64_t read_bytes() const { return std::min(read_, size_); }
  std::uint64_t all_bytes() const { return size_; }

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
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(kInputBytes);
  std::size_t begin_ = 0;  // the part of the buffer that is still to be used
  std::size_t end_ = 0;
  z_stream stream_ = {};
};

InputFile::InputFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

InputFile::~InputFile() = default;

std::size_t InputFile::read(std::span<char> room) { return impl_->read(room); }

std::uint64_t InputFile::read_bytes() const { return impl_->read_bytes(); }

std::uint64_t InputFile::all_bytes() const { return impl_->all_bytes(); }

}  // namespace kindred
