#include "tests/fuzz/input_folder.h"

#include <fstream>

namespace kindred::test {

std::string InputFolder::put(const std::string& name, std::string_view bytes) const {
  const std::string path = folder_ / name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
  return path;
}

}  // namespace kindred::test
