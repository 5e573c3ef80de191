#include "analyzer/lemmas/compound_splitter.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <utility>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// Letters only, and at most one capital: no abbreviation.
bool is_plain_word(const std::string& word) {
  int capitals = 0;
  for (std::size_t i = 0; i < word.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    if (!u_isUAlphabetic(c)) return false;
    if (u_isUUppercase(c)) ++capitals;
  }
  return capitals < 2;
}

constexpr std::size_t kLongest = 64;      // characters
constexpr std::size_t kMoreForStems = 2;  // characters beyond the least of a part
constexpr std::size_t kMostBytes = 4 * kLongest;

/// The byte at which each character begins, and the end.
std::vector<std::uint32_t> starts_of(std::string_view word) {
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (!U8_IS_TRAIL(word[i])) starts.push_back(static_cast<std::uint32_t>(i));
  starts.push_back(static_cast<std::uint32_t>(word.size()));
  return starts;
}

constexpr char kCompounds[] = "analyzer.compounds";

std::shared_ptr<const CompoundWords> read_words(const std::vector<DictionaryItem>& items,
                                                const Language& language,
                                                const Normalizer& normalizer,
                                                const Variants* variants) {
  const auto words = std::make_shared<CompoundWords>();
  Stemmer stemmer(language.stemmer);

  // What could never be a part is left out here, so that the splitter need not look at it again for
  // each word.
  const auto add = [&](std::string word) {
    if (variants != nullptr) word = variants->apply(std::move(word));

    const auto& never = language.rules->never_parts;
    if (count_characters(word) < static_cast<std::size_t>(language.rules->least_part) ||
        std::find(never.begin(), never.end(), word) != never.end())
      return;

    if (stemmer.active()) words->stems.insert(stemmer.stem(word));
    words->words.insert(std::move(word));
  };

  // A dictionary has abbreviations, too; a list has what its owner wants.
  const auto add_plain = [&](const std::string& word) {
    if (is_plain_word(word)) add(normalizer.fold(word));
  };

  for (const DictionaryItem& item : items) {
    if (item.is_hunspell) {
      for_each_word(dictionary_of(item, kCompounds), add_plain);
      continue;
    }
    const std::string list = read_word_list(item.where, "words of compounds");
    for (const std::string& word : parse_words(list, item.where, normalizer)) add(word);
  }
  return words;
}

}  // namespace

std::shared_ptr<const CompoundWords> open_compound_words(const AnalyzerSettings& settings,
                                                         const Language& language,
                                                         const Normalizer& normalizer,
                                                         const Variants* variants) {
  const std::vector<DictionaryItem> items = items_for(language, settings.compounds);
  if (items.empty()) return nullptr;

  // All that the words depend on is in the key, so that two analyzers share them only if both would
  // read the same.
  std::string key = language.code + '\n' + normalizer.key();
  key += variants != nullptr ? "\nvariants" : "\nas is";
  for (const DictionaryItem& item : items) key += source_stamp(item, kCompounds);

  return shared_object<CompoundWords>(key, [&] {
    return read_words(items, language, normalizer, variants);
  });
}

CompoundSplitter::CompoundSplitter(std::shared_ptr<const CompoundWords> words,
                                   const Language& language)
    : words_(std::move(words)), rules_(*language.rules), stemmer_(language.stemmer) {}

bool CompoundSplitter::is_part(std::string_view text, bool is_inside) {
  if (words_->words.contains(text)) return true;
  if (is_inside) return false;

  // A first or last part may have lost or got an ending, and is found by its stem. Short stems fit
  // by chance, so such a part must be longer.
  const auto least = static_cast<std::size_t>(rules_.least_part) + kMoreForStems;
  const auto& never = rules_.never_parts;

  return stemmer_.active() && count_characters(text) >= least &&
         std::find(never.begin(), never.end(), text) == never.end() &&
         words_->stems.contains(stemmer_.stem(text));
}

CompoundSplitter::Head CompoundSplitter::head_before(std::string_view word,
                                                     std::uint32_t begin) const {
  Head best;

  // The order decides between ways of as many parts: no link first, then the links as the rules
  // have them, the shorter first.
  const auto consider = [&](std::size_t link) {
    const auto end = begin - static_cast<std::uint32_t>(link);
    const std::uint32_t parts = ways_[end].parts;
    if (parts != 0 && (best.parts == 0 || parts < best.parts)) best = {parts, end};
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
  const bool is_last = to + 1 == starts.size();

  Way& best = ways_[starts[to]];
  for (std::size_t from = 0; from + least <= to; ++from) {  // the longest last part first
    const bool is_first = from == 0;
    const Head& head = heads_[from];

    // A word is no part of itself, and a part needs something that can be written before it.
    const bool is_whole = is_first && is_last;
    const bool has_no_head = !is_first && head.parts == 0;
    if (is_whole || has_no_head) continue;

    // Strictly fewer parts only: of several ways with as many, the first has the longest last part.
    if (best.parts != 0 && head.parts + 1 >= best.parts) continue;

    const std::string_view part = word.substr(starts[from], starts[to] - starts[from]);
    if (is_part(part, !is_first && !is_last)) best = {head.parts + 1, starts[from], head.end};
  }
}

std::vector<std::string> CompoundSplitter::split(std::string_view word) {
  const auto least = static_cast<std::size_t>(rules_.least_part);

  // Bytes first, because to count the characters takes a pass over the word.
  if (word.size() > kMostBytes) return {};
  const std::vector<std::uint32_t> starts = starts_of(word);
  const std::size_t characters = starts.size() - 1;
  if (characters > kLongest || characters < 2 * least) return {};

  // From left to right: the best way to write the first n characters is made of the best ways to
  // write fewer. heads_ has what precedes a part once for all parts that begin there.
  ways_.assign(word.size() + 1, Way{});
  heads_.assign(characters, Head{});
  for (std::size_t to = least; to <= characters; ++to) {
    extend(word, starts, to);
    if (to < characters) heads_[to] = head_before(word, starts[to]);
  }

  // The ways know only their last part, so they are followed from the end.
  std::vector<std::string> parts;
  std::size_t end = word.size();
  while (ways_[end].parts != 0) {
    const Way& way = ways_[end];
    parts.emplace_back(word.substr(way.begin, end - way.begin));
    if (way.parts == 1) break;
    end = way.end;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace kindred
