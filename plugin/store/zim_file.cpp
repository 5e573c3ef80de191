#include "plugin/store/zim_file.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace kindred {

bool is_zim(const std::string& path) {
  constexpr std::string_view kMagic("ZIM\x04", 4);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe would wait

  std::string begin(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), kMagic.size());
  return begin == kMagic;
}

}  // namespace kindred
