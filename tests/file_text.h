#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace kindred::test {

/// The bytes of a file; "" if there is none.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kindred::test
