#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace kindred::cli {

/// Replaces a file by `content` in one step: writes a new file beside it, and renames that. A
/// device, pipe or link is written to directly.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_output_file(const std::string& path, std::string_view content);

/// The same with the content that write(file) writes, which may exceed the memory.
void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Text as HTML or XML, safe inside elements and quoted attributes. What may not be shown is
/// escaped.
std::string escaped(std::string_view text);

}  // namespace kindred::cli
