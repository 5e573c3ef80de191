#include "tests/attack/damage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fixtures/file_text.h"

namespace kindred::attack {
namespace {

namespace fs = std::filesystem;

std::size_t below(std::mt19937_64& random, std::size_t bound) { return random() % bound; }

/// The file to damage: tables more often than headers and the files that Kindred keeps beside them.
std::string choose_file(const std::string& database, std::mt19937_64& random) {
  if (!fs::is_directory(database)) return database;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(database)) {
    if (entry.file_size() == 0) continue;
    const std::string path = entry.path().string();
    const bool is_lists = path.ends_with("postlist.glass");
    const int weight = is_lists ? 6 : path.ends_with(".glass") ? 3 : 1;
    files.insert(files.end(), static_cast<std::size_t>(weight), path);
  }
  std::sort(files.begin(), files.end());  // the order of a folder is not the seed's
  return files[below(random, files.size())];
}

std::string flip(std::string& bytes, std::size_t, std::mt19937_64& random) {
  const std::size_t count = 1 + below(random, 8);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[below(random, bytes.size())] ^= static_cast<char>(1 + below(random, 255));
  }
  return std::to_string(count) + " bytes changed";
}

std::string swap_blocks(std::string& bytes, std::size_t block, std::mt19937_64& random) {
  const std::size_t blocks = bytes.size() / block;
  const std::size_t a = below(random, blocks) * block, b = below(random, blocks) * block;
  const auto at = [&](std::size_t offset) { return bytes.begin() + static_cast<long>(offset); };
  std::swap_ranges(at(a), at(a + block), at(b));
  return "blocks " + std::to_string(a / block) + " and " + std::to_string(b / block) + " swapped";
}

/// A torn block, as a reader gets it during a write: the beginning of one, the end of another.
std::string tear_block(std::string& bytes, std::size_t block, std::mt19937_64& random) {
  const std::size_t blocks = bytes.size() / block;
  const std::size_t a = below(random, blocks) * block, b = below(random, blocks) * block;
  const std::size_t kept = block / 8 * (1 + below(random, 7));
  std::copy_n(bytes.begin() + static_cast<long>(b + kept), block - kept,
              bytes.begin() + static_cast<long>(a + kept));
  return "block " + std::to_string(a / block) + " torn after " + std::to_string(kept) +
         " bytes, the rest from block " + std::to_string(b / block);
}

std::string zero_block(std::string& bytes, std::size_t block, std::mt19937_64& random) {
  const std::size_t a = below(random, bytes.size() / block) * block;
  std::fill_n(bytes.begin() + static_cast<long>(a), block, '\0');
  return "block " + std::to_string(a / block) + " zeroed";
}

std::string truncate(std::string& bytes, std::size_t, std::mt19937_64& random) {
  bytes.resize(below(random, bytes.size()));
  return "cut to " + std::to_string(bytes.size()) + " bytes";
}

/// Writes a number as tables pack it, such as a docid, a count or a length.
std::string write_number(std::string& bytes, std::size_t, std::mt19937_64& random) {
  static const std::string numbers[] = {
      std::string(1, '\0'), "\x01", "\x7f", "\xff\x01", "\xff\xff\x03", "\xff\xff\xff\xff\x0f"};
  const std::string& number = numbers[below(random, std::size(numbers))];
  const std::size_t at = below(random, bytes.size());
  bytes.replace(at, number.size(), number.substr(0, bytes.size() - at));
  return "a number written at " + std::to_string(at);
}

/// Changes an entry in the directory of a block, so that keys are out of order, twice or nowhere.
std::string change_directory(std::string& bytes, std::size_t block, std::mt19937_64& random) {
  const std::size_t a = below(random, bytes.size() / block) * block;
  const std::size_t to = a + 11 + 2 * below(random, 40), from = a + 11 + 2 * below(random, 40);
  std::copy_n(bytes.begin() + static_cast<long>(from), 2, bytes.begin() + static_cast<long>(to));
  return "an entry copied in the directory of block " + std::to_string(a / block);
}

}  // namespace

std::string damage(const std::string& database, std::mt19937_64& random) {
  constexpr decltype(&flip) kOfBlocks[] = {swap_blocks,      tear_block, zero_block, tear_block,
                                           change_directory, flip,       truncate,   write_number};
  constexpr decltype(&flip) kOfBytes[] = {flip, truncate, write_number};
  const std::string file = choose_file(database, random);
  std::string bytes = kindred::test::file_text(file);
  const std::size_t block = database.ends_with("large") ? 2048 : 8192;
  const bool has_blocks = bytes.size() >= 2 * block;
  const auto change = has_blocks ? kOfBlocks[below(random, std::size(kOfBlocks))]
                                 : kOfBytes[below(random, std::size(kOfBytes))];
  const std::string what = change(bytes, block, random);
  std::ofstream(file, std::ios::binary) << bytes;
  return fs::path(file).filename().string() + ": " + what;
}

}  // namespace kindred::attack
