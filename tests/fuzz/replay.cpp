// Runs a fuzz target over the files of folders, without libFuzzer: replay FOLDER...
// Ends with status 0 if none of them crashed it.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>

#include "tests/fixtures/file_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  std::size_t files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      const std::string bytes = kindred::test::file_text(entry.path().string());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::cout << files << " inputs\n";
  return files > 0 ? 0 : 1;
}
