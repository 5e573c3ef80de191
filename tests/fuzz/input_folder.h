#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "tests/fixtures/temporary_directory.h"

namespace kindred::test {

/// A folder for the inputs of a fuzz target; it exists as long as the process.
class InputFolder {
 public:
  /// Writes `bytes` as the file `name`, in place of an older one; returns its path.
  std::string put(const std::string& name, std::string_view bytes) const {
    const std::string path = folder_ / name;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
    return path;
  }

  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryDirectory folder_;
};

/// Takes one byte from the front of an input; 0 if it is empty.
inline unsigned char take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const char first = input.front();
  input.remove_prefix(1);
  return static_cast<unsigned char>(first);
}

}  // namespace kindred::test
