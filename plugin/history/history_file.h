#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/history/document_change.h"

namespace kindred {

// The history of an index is a file that grows at its end. It is a row of blocks, one or more for
// each commit. Numbers of the frame are little-endian:
//
//     4 bytes   "kdh1"
//     4         bytes of the content
//     8         XXH3 of the content
//     ...       content: what HistoryBlock has, and the changes of its documents
//     4         bytes of the content again, so that the last block is found from the end
//
// What is no whole block is passed over by readers, and cut off at the end by the next writer.

/// What the changes of a block have in common.
struct HistoryBlock {
  std::uint64_t first = 1;         ///< number of its first change; they ascend in the file
  std::uint64_t count = 0;         ///< of changes
  std::uint64_t run = 1;           ///< number of the first change of the same run
  std::uint64_t milliseconds = 0;  ///< since 1970, by the clock of whoever wrote it
  std::string who;                 ///< the user or program
  std::string how;                 ///< what was done: "ingest", "tag", "edit" and others
  std::string uuid;                ///< of the index

  bool operator==(const HistoryBlock&) const = default;
};

/// Appends a change as blocks have it.
void put_change(std::string& bytes, const DocumentChange& change);

/// A block with these changes, each by put_change().
std::string framed_block(const HistoryBlock& block, std::string_view changes);

/// Where the frame of a block lies in the bytes of a file.
struct BlockPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view content;
};

/// The whole blocks of a file.
struct BlockList {
  std::vector<BlockPlace> blocks;  ///< refer to the bytes
  std::size_t damaged = 0;         ///< bytes between them
  std::size_t end = 0;             ///< of the last one
};
BlockList blocks_in(std::string_view bytes);

/// What a block says of itself. @throws Error kCorrupt.
HistoryBlock read_block(std::string_view content);

/// Gives the changes of a block, in their order. @throws Error kCorrupt.
void for_each_change(
    std::string_view content,
    const std::function<void(std::uint64_t number, const DocumentChange& change)>& see);

}  // namespace kindred
