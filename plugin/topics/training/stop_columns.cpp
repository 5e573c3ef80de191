#include "plugin/topics/training/stop_columns.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/words/normalize.h"
#include "analyzer/words/stop_words.h"

namespace kindred {
namespace {

constexpr double kShareOfWords = 1.0 / 3;        // of a list
constexpr double kShareOfDocuments = 1.0 / 100;  // that have a word of a language that is spoken

}  // namespace

std::vector<bool> stop_columns(const std::vector<std::string>& words,
                               const std::vector<std::uint32_t>& df, std::uint64_t documents) {
  const Normalizer normalizer(find_language("en"), true);
  std::unordered_map<std::string, std::vector<std::uint32_t>> columns;  // of each folded word
  for (std::uint32_t column = 0; column < words.size(); ++column)
    columns[normalizer.fold(words[column])].push_back(column);
  std::vector<bool> stopped(words.size());
  const double least = kShareOfDocuments * static_cast<double>(documents);
  for (const BuiltinStopWords& builtin : builtin_stop_words()) {
    const WordSet list = parse_words(builtin.list, std::string(builtin.language), normalizer);
    std::vector<std::uint32_t> found;
    std::size_t common = 0;
    for (const std::string& word : list) {
      const auto place = columns.find(word);
      if (place == columns.end()) continue;
      found.insert(found.end(), place->second.begin(), place->second.end());
      common += std::any_of(place->second.begin(), place->second.end(),
                            [&](std::uint32_t column) { return df[column] >= least; });
    }
    if (static_cast<double>(common) < kShareOfWords * static_cast<double>(list.size())) continue;
    for (const std::uint32_t column : found) stopped[column] = true;
  }
  return stopped;
}

}  // namespace kindred
