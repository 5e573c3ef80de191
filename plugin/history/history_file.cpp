#include "plugin/history/history_file.h"

#include <xxhash.h>
#include <bit>
#include <optional>

#include "config/error.h"
#include "plugin/store/packing.h"

namespace kindred {
namespace {

constexpr std::string_view kMark = "kdh1";
constexpr std::size_t kHead = 16;
constexpr std::size_t kTail = 4;
constexpr std::size_t kMostContent = std::size_t{64} << 20;
constexpr int kAfterShift = 3;  // the state after a change lies above the one before

const std::string kWhat = "a block of the history";

void put_fixed(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> 8 * i & 255));
}

std::uint64_t fixed_at(std::string_view bytes, std::size_t offset, int size) {
  std::uint64_t number = 0;
  for (int i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[offset + static_cast<std::size_t>(i)]);
    number |= std::uint64_t{byte} << 8 * i;
  }
  return number;
}

void put_text(std::string& bytes, std::string_view text) {
  put_number(bytes, text.size());
  bytes += text;
}

std::string text_in(PackedReader& reader) { return std::string(reader.read(reader.number())); }

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// The block that begins here, if it is whole.
std::optional<BlockPlace> block_at(std::string_view bytes, std::size_t begin) {
  if (bytes.size() - begin < kHead + kTail || bytes.substr(begin, kMark.size()) != kMark) return {};

  const std::uint64_t size = fixed_at(bytes, begin + 4, 4);
  if (size > kMostContent || size > bytes.size() - begin - kHead - kTail) return {};

  const std::string_view content = bytes.substr(begin + kHead, size);
  const std::size_t end = begin + kHead + size;
  const bool is_whole =
      fixed_at(bytes, end, 4) == size && fixed_at(bytes, begin + 8, 8) == checksum(content);
  if (!is_whole) return {};
  return BlockPlace{begin, end + kTail, content};
}

HistoryBlock block_in(PackedReader& reader) {
  HistoryBlock block;
  for (std::uint64_t* number : {&block.first, &block.count, &block.run, &block.milliseconds})
    *number = reader.number();
  for (std::string* text : {&block.who, &block.how, &block.uuid}) *text = text_in(reader);
  return block;
}

LabelStep step_in(PackedReader& reader) {
  LabelStep step;
  step.label = text_in(reader);
  const auto states = static_cast<unsigned char>(reader.read(1).front());
  step.before = states & kAllStates;
  step.after = states >> kAfterShift & kAllStates;
  if (step.is_predicted()) step.confidence = std::bit_cast<double>(fixed_at(reader.read(8), 0, 8));
  return step;
}

DocumentChange change_in(PackedReader& reader) {
  DocumentChange change;
  change.id = text_in(reader);
  change.docid = static_cast<Xapian::docid>(reader.number());
  const std::uint64_t labels = reader.number();
  for (std::uint64_t i = 0; i < labels; ++i) change.labels.push_back(step_in(reader));
  return change;
}

}  // namespace

void put_change(std::string& bytes, const DocumentChange& change) {
  put_text(bytes, change.id);
  put_number(bytes, change.docid);
  put_number(bytes, change.labels.size());
  for (const LabelStep& step : change.labels) {
    put_text(bytes, step.label);
    bytes.push_back(static_cast<char>(step.before | step.after << kAfterShift));
    if (step.is_predicted()) put_fixed(bytes, std::bit_cast<std::uint64_t>(step.confidence), 8);
  }
}

std::string framed_block(const HistoryBlock& block, std::string_view changes) {
  std::string content;
  for (const std::uint64_t number : {block.first, block.count, block.run, block.milliseconds})
    put_number(content, number);
  for (const std::string* text : {&block.who, &block.how, &block.uuid}) put_text(content, *text);
  content += changes;

  std::string bytes(kMark);
  put_fixed(bytes, content.size(), 4);
  put_fixed(bytes, checksum(content), 8);
  bytes += content;
  put_fixed(bytes, content.size(), 4);
  return bytes;
}

BlockList blocks_in(std::string_view bytes) {
  BlockList list;
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    // Behind a damaged part, the next whole block is looked for by its mark.
    const auto block = block_at(bytes, begin);
    if (!block) {
      begin = std::min(bytes.find(kMark, begin + 1), bytes.size());
      continue;
    }
    list.damaged += block->begin - list.end;
    list.end = block->end;
    list.blocks.push_back(*block);
    begin = block->end;
  }
  return list;
}

HistoryBlock read_block(std::string_view content) {
  PackedReader reader(content, kWhat);
  return block_in(reader);
}

void for_each_change(std::string_view content,
                     const std::function<void(std::uint64_t, const DocumentChange&)>& see) {
  PackedReader reader(content, kWhat);
  const HistoryBlock block = block_in(reader);
  for (std::uint64_t i = 0; i < block.count; ++i) see(block.first + i, change_in(reader));
  reader.expect_end();
}

}  // namespace kindred
