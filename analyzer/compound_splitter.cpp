#include "analyzer/compound_splitter.h"

#include <algorithm>
#include <utility>

#include "analyzer/utf8.h"

namespace kindred {
namespace {

constexpr std::size_t kLongest = 64;      // characters
constexpr std::size_t kMoreForStems = 2;  // characters beyond the least of a part
constexpr std::size_t kMostBytes = 4 * kLongest;

/// The byte at which each character begins, and the end.
std::vector<std::uint32_t> starts_of(std::string_view word) {
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((word[i] & 0xC0) != 0x80) starts.push_back(static_cast<std::uint32_t>(i));
  starts.push_back(static_cast<std::uint32_t>(word.size()));
  return starts;
}

}  // namespace

CompoundSplitter::CompoundSplitter(std::shared_ptr<const CompoundWords> words,
                                   const Language& language)
    : words_(std::move(words)), rules_(*language.rules), stemmer_(language.stemmer) {}

bool CompoundSplitter::is_part(std::string_view text) {
  if (words_->has(text)) return true;
  const auto least = static_cast<std::size_t>(rules_.least_part) + kMoreForStems;
  const auto& never = rules_.never_parts;
  return stemmer_.active() && count_characters(text) >= least &&
         std::find(never.begin(), never.end(), text) == never.end() &&
         words_->has_stem(stemmer_.stem(text));
}

/// The way to write what precedes `begin`, up to `end` without a link; null if there is none.
const CompoundSplitter::Way* CompoundSplitter::before(std::string_view word, std::uint32_t begin,
                                                      std::uint32_t& end) const {
  const Way* best = nullptr;
  const auto consider = [&](std::size_t link) {
    const auto size = begin - static_cast<std::uint32_t>(link);
    const Way& way = ways_[size];
    if (way.parts == 0 || (best != nullptr && way.parts >= best->parts)) return;
    best = &way;
    end = size;
  };
  consider(0);
  const std::string_view head = word.substr(0, begin);
  for (const std::string& link : rules_.links)
    if (head.size() > link.size() && head.ends_with(link)) consider(link.size());
  return best;
}

/// Finds the best way to write the first starts[to] bytes.
void CompoundSplitter::extend(std::string_view word, const std::vector<std::uint32_t>& starts,
                              std::size_t to) {
  const auto least = static_cast<std::size_t>(rules_.least_part);
  Way& best = ways_[starts[to]];
  for (std::size_t from = 0; from + least <= to; ++from) {  // the longest last part first
    const std::uint32_t begin = starts[from];
    std::uint32_t end = 0;
    const Way* way = begin == 0 ? nullptr : before(word, begin, end);
    if (begin != 0 && way == nullptr) continue;
    const std::uint32_t parts = way == nullptr ? 1 : way->parts + 1;
    if (best.parts != 0 && parts >= best.parts) continue;
    const bool is_whole = begin == 0 && to + 1 == starts.size();
    if (!is_whole && is_part(word.substr(begin, starts[to] - begin))) best = {parts, begin, end};
  }
}

std::vector<std::string> CompoundSplitter::split(std::string_view word) {
  const auto least = static_cast<std::size_t>(rules_.least_part);
  if (word.size() > kMostBytes) return {};
  const std::vector<std::uint32_t> starts = starts_of(word);
  const std::size_t characters = starts.size() - 1;
  if (characters > kLongest || characters < 2 * least) return {};
  ways_.assign(word.size() + 1, Way{});
  for (std::size_t to = least; to <= characters; ++to) extend(word, starts, to);
  std::vector<std::string> parts;
  for (std::size_t end = word.size(); ways_[end].parts != 0;) {
    const Way& way = ways_[end];
    parts.emplace_back(word.substr(way.begin, end - way.begin));
    if (way.parts == 1) break;
    end = way.end;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace kindred
