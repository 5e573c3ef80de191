#include "plugin/cli/output_file.h"

#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "config/error.h"
#include "config/shown.h"

namespace kindred::cli {
namespace {

/// A file, or nothing yet; neither a device or pipe, nor a link, as /dev/stdout is one.
bool may_be_replaced(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  return type == std::filesystem::file_type::regular ||
         type == std::filesystem::file_type::not_found;
}

}  // namespace

void write_output_file(const std::string& path, std::string_view content) {
  write_output_file(path, [&](std::ostream& file) { file << content; });
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const bool is_replaced = may_be_replaced(path);
  const std::string target = is_replaced ? path + ".new-" + std::to_string(getpid()) : path;
  errno = 0;
  std::ofstream file(target, std::ios::binary);
  if (file) write(file);
  file.close();
  std::error_code fault;
  if (!file) fault = {errno != 0 ? errno : EIO, std::generic_category()};
  if (!fault && is_replaced) std::filesystem::rename(target, path, fault);
  if (!fault) return;
  std::error_code ignored;
  if (is_replaced) std::filesystem::remove(target, ignored);
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
