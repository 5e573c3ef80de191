#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace kindred::cli {

/// Replaces a file by `content` as a whole: written aside, then renamed. A device, pipe or link is
/// written to as it is.
/// @throws Error kNotFound if it cannot be written; a file that was there is then as it was.
void write_output_file(const std::string& path, std::string_view content);

/// The same with what write(file) writes, which may be more than fits in memory.
void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Text as HTML or XML, fit to be shown: safe inside elements and quoted attributes.
std::string escaped(std::string_view text);

}  // namespace kindred::cli
