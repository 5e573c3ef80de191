#include "plugin/input/record_reader.h"

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
