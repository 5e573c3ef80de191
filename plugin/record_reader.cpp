#include "plugin/record_reader.h"

#include <unistd.h>
#include <zlib.h>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/path.h"

namespace kindred {
namespace {

constexpr unsigned kBufferBytes = 1 << 17;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

gzFile open_input(const std::string& path) {
  errno = 0;
  if (path != "-") return gzopen(path.c_str(), "rb");
  const int copy = dup(STDIN_FILENO);
  gzFile file = copy < 0 ? nullptr : gzdopen(copy, "rb");
  if (file == nullptr && copy >= 0) close(copy);
  return file;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

struct RecordReader::Impl {
  std::string path;
  gzFile file = nullptr;
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  std::string_view unread;   // what is left of the buffer
  std::uint64_t number = 0;  // of the line read last

  /// Refills the buffer; false at the end of the input.
  bool fill();
  /// Appends the next line, without its end; false at the end of the input.
  bool read_line(std::string& line);
  [[noreturn]] void fail() const;
};

void RecordReader::Impl::fail() const {
  const int system_error = errno;
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_ERRNO) {
    throw Error(Errc::kNotFound, path + ": cannot be read: " + std::strerror(system_error));
  }
  if (code == Z_MEM_ERROR) throw Error(Errc::kOutOfMemory, path + ": out of memory");
  const std::string fault = code == Z_BUF_ERROR ? "it ends too early" : message;
  throw Error(Errc::kCorrupt, path + ": damaged gzip file: " + fault);
}

bool RecordReader::Impl::fill() {
  const int got = gzread(file, buffer.data(), kBufferBytes);
  int code = Z_OK;
  gzerror(file, &code);
  if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) fail();
  unread = {buffer.data(), static_cast<std::size_t>(got)};
  return got > 0;
}

bool RecordReader::Impl::read_line(std::string& line) {
  if (unread.empty() && !fill()) return false;
  ++number;
  do {
    const std::size_t end = unread.find('\n');
    line.append(unread.substr(0, end));
    if (end != unread.npos) {
      unread.remove_prefix(end + 1);
      return true;
    }
  } while (fill());
  return true;
}

RecordReader::RecordReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  check_path(path, "an input file");
  impl_->file = open_input(path);
  if (impl_->file == nullptr) {
    throw Error(Errc::kNotFound, path + ": cannot be opened: " + std::strerror(errno));
  }
  gzbuffer(impl_->file, kBufferBytes);
}

RecordReader::~RecordReader() { gzclose(impl_->file); }

std::optional<RecordLine> RecordReader::next() {
  RecordLine line;
  while (impl_->read_line(line.text)) {
    if (impl_->number == 1 && line.text.starts_with(kByteOrderMark)) line.text.erase(0, 3);
    if (line.text.ends_with('\r')) line.text.pop_back();
    line.number = impl_->number;
    if (!is_blank(line.text)) return line;
    line.text.clear();
  }
  return {};
}

}  // namespace kindred
