#pragma once

#include <cstddef>
#include <string>

namespace kindred {

/// Changes whenever a file is written anew or removed; "" if there is none.
std::string file_stamp(const std::string& path);

/// What a file holds, and the stamp of the very file that was read: while it is being written its
/// stamp moves on.
struct FileContent {
  std::string bytes;
  std::string stamp;
};

/// Reads a regular file of at most `max_bytes` as a whole. Never waits for a writer, as opening a
/// FIFO would, and never reads on without end, as of a device. `what` it is, as "the tuning file",
/// for the message.
/// @throws Error that names the file and what was expected: kNotFound if there is none or it cannot
/// be read; kInvalidArgument if it is no regular file, or longer.
FileContent read_regular_file(const std::string& path, const std::string& what,
                              std::size_t max_bytes);

}  // namespace kindred
