#include "plugin/input/record_reader.h"

#include <span>
#include <string_view>
#include <vector>

#include "plugin/input/input_file.h"

namespace kindred {
namespace {

constexpr std::size_t kBufferBytes = 1 << 17;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

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

RecordReader::Position RecordReader::position() const {
  return {impl_->file.read_bytes(), impl_->file.all_bytes()};
}

}  // namespace kindred
