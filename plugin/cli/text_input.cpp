#include "plugin/cli/text_input.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

/// What the shell has opened: standard input for "-", or a pipe for <(command).
bool is_open_already(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

/// All of it. @throws Error kNotFound if it cannot be read; kInvalidArgument if it is too long.
std::string read_open(const std::string& path) {
  // The file that the shell has opened is closed here, except for standard input, which is not
  // ours.
  const bool standard = path == "-";
  const auto close = [](std::FILE* open) {
    if (open != stdin) std::fclose(open);
  };
  const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(
      standard ? stdin : std::fopen(path.c_str(), "rb"), close);

  std::string text;
  std::vector<char> buffer(1 << 16);

  // Its length is unknown: it ends when nothing more comes, without an error.
  while (file != nullptr) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), got);
    if (text.size() > kMaxBytes)
      throw Error(Errc::kInvalidArgument, path + ": cannot be read: expected at most " +
                                              std::to_string(kMaxBytes) + " bytes");

    if (got == 0 && std::ferror(file.get()) == 0) return text;
    if (got == 0) break;
  }

  throw Error(Errc::kNotFound, path + ": cannot be read: " + std::strerror(errno));
}

}  // namespace

std::string read_text(const std::string& path) {
  std::string text = is_open_already(path) ? read_open(path)
                                           : read_regular_file(path, "the file", kMaxBytes).bytes;
  if (text.starts_with("\xEF\xBB\xBF")) return text.substr(3);
  return text;
}

}  // namespace kindred::cli
