// The history of tags: any bytes are read without harm, and the content of a block either gives
// changes, which are written as they were, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/error.h"
#include "plugin/history/history_file.h"
#include "plugin/history/history_time.h"

namespace {

using namespace kindred;

void read_content(std::string_view content) {
  try {
    std::string again;
    const HistoryBlock block = read_block(content);
    time_text(block.milliseconds);
    for_each_change(
        content, [&](std::uint64_t, const DocumentChange& change) { put_change(again, change); });

    std::string second;
    const std::string framed = framed_block(block, again);
    for_each_change(
        blocks_in(framed).blocks.at(0).content,
        [&](std::uint64_t, const DocumentChange& change) { put_change(second, change); });
    if (second != again) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const BlockList list = blocks_in(input);
  if (list.end > size || list.damaged > size) std::abort();
  for (const BlockPlace& block : list.blocks) read_content(block.content);
  read_content(input);
  parsed_time(input, 0);
  return 0;
}
