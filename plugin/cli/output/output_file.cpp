#include "plugin/cli/output/output_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "config/error.h"
#include "config/replacement.h"
#include "config/shown.h"

namespace kindred::cli {
namespace {

/// True for a regular file and for a path where nothing is. False for a device or pipe, and for a
/// link, such as /dev/stdout.
bool may_be_replaced(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  return type == std::filesystem::file_type::regular ||
         type == std::filesystem::file_type::not_found;
}

std::error_code write_to(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (file) write(file);
  file.close();
  if (file) return {};
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

}  // namespace

void write_output_file(const std::string& path, std::string_view content) {
  write_output_file(path, [&](std::ostream& file) { file << content; });
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const bool is_replaced = may_be_replaced(path);
  std::optional<Replacement> replacement;
  if (is_replaced) replacement.emplace(path);
  std::error_code fault = is_replaced ? replacement->fault() : std::error_code();
  if (!fault) fault = write_to(is_replaced ? replacement->name() : path, write);
  if (!fault && is_replaced) fault = replacement->place();
  if (!fault) return;
  throw Error(Errc::kNotFound, path + ": cannot be written: " + fault.message());
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : shown(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

}  // namespace kindred::cli
