#include "plugin/cli/output_file.h"

#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "config/error.h"
#include "plugin/cli/table.h"

namespace kindred::cli {

void write_output_file(const std::string& path, std::string_view content) {
  write_output_file(path, [&](std::ostream& file) { file << content; });
}

void write_output_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const std::string aside = path + ".new-" + std::to_string(getpid());
  errno = 0;
  std::ofstream file(aside, std::ios::binary);
  if (file) write(file);
  file.close();
  std::error_code fault;
  if (!file) {
    fault = {errno != 0 ? errno : EIO, std::generic_category()};
  } else {
    std::filesystem::rename(aside, path, fault);
  }
  if (!fault) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw Error(Errc::kNotFound, path + ": cannot be written: " + fault.message());
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : printable(text)) {
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
