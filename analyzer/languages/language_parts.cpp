#include "analyzer/languages/language_parts.h"

#include <algorithm>
#include <cstddef>

namespace kindred {
namespace {

constexpr std::size_t kFullBlock = 400;
constexpr std::size_t kShortBlock = 80;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == line.npos; }

/// Length of the first block, with the blank lines behind it.
std::size_t first_block(std::string_view text) {
  std::size_t end = 0;
  bool ended = false;
  while (end < text.size()) {
    const std::size_t line = std::min(text.find('\n', end), text.size() - 1) + 1 - end;
    const bool blank = is_blank(text.substr(end, line));
    if (ended && !blank) return end;
    end += line;
    ended = blank || end >= kFullBlock;
  }
  return end;
}

}  // namespace

std::vector<LanguagePart> language_parts(std::string_view text, const std::string& main,
                                         const LanguageDetector& detector, double confidence) {
  std::vector<LanguagePart> parts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view block = rest.substr(0, first_block(rest));
    rest.remove_prefix(block.size());
    std::string language = main;
    if (block.size() >= kShortBlock) {
      Detection found = detector.detect(block);
      if (!found.language.empty() && found.confidence >= confidence)
        language = std::move(found.language);
    }
    if (!parts.empty() && parts.back().language == language) {
      const std::string_view before = parts.back().text;
      parts.back().text = {before.data(), before.size() + block.size()};
    } else {
      parts.push_back({block, std::move(language)});
    }
  }
  return parts;
}

}  // namespace kindred
