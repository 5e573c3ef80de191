#include "analyzer/words/word_joiner.h"

#include <algorithm>
#include <iterator>

#include "analyzer/text/number.h"

namespace kindred {
namespace {

constexpr std::string_view kJoiners[] = {"-", "+", "/", "::", ":", "://", "@",  "~",
                                         "#", ".", "=", "&",  "%", "_",   "->", "!"};
constexpr std::string_view kEndings[] = {"++", "#"};

// Folded, as words are, and sorted.
constexpr std::string_view kUnits[] = {
    "bit", "bits", "bpm", "cl",  "cm",  "db", "dl", "dpi", "fps", "ft", "g",   "gb",  "ghz",
    "gib", "gw",   "h",   "hz",  "k",   "kb", "kg", "khz", "kib", "kj", "km",  "kpa", "kv",
    "kw",  "kwh",  "l",   "lb",  "lbs", "m",  "ma", "mah", "mb",  "mg", "mhz", "mi",  "mib",
    "min", "ml",   "mm",  "mph", "ms",  "mv", "mw", "nm",  "ns",  "oz", "pa",  "px",  "rpm",
    "s",   "tb",   "tib", "v",   "w",   "μf", "μg", "μl",  "μm",  "μs"};

bool contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// What is between two views of one text; nothing if they overlap, as bigrams do.
std::string_view between(const char* end, const char* begin) {
  return {end, begin < end ? 0 : static_cast<std::size_t>(begin - end)};
}

}  // namespace

WordJoiner::WordJoiner(const AnalyzerSettings& settings, const Normalizer& normalizer)
    : normalizer_(normalizer),
      pairs_(settings.ngrams > 1),
      units_(settings.units),
      whole_(settings.whole_tokens),
      most_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(settings.max_word_bytes, 0))) {}

void WordJoiner::start() {
  before_.clear();
  number_.clear();
}

const std::vector<std::string>& WordJoiner::next(std::string_view stretch,
                                                 std::span<const std::string_view> surfaces,
                                                 std::size_t i, std::string_view word,
                                                 std::string_view term) {
  terms_.clear();
  if (pairs_) add_pair(word, term);
  if (units_) {
    const char* end = i == 0 ? stretch.data() : surfaces[i - 1].data() + surfaces[i - 1].size();
    add_unit(between(end, surfaces[i].data()), word);
  }
  if (whole_) add_whole(stretch, surfaces, i);
  return terms_;
}

void WordJoiner::add_pair(std::string_view word, std::string_view term) {
  const std::string_view part = term.empty() ? word : term;
  const bool is_pair = !before_.empty() && !part.empty() && (before_is_feature_ || !term.empty());
  if (is_pair && before_.size() + part.size() <= 2 * most_bytes_)
    (terms_.emplace_back(before_) += ' ') += part;
  before_ = part;
  before_is_feature_ = !term.empty();
}

void WordJoiner::add_unit(std::string_view gap, std::string_view word) {
  const bool follows = gap == " " || gap == "-" || gap == "\xC2\xA0" || gap == "\xE2\x80\xAF";
  if (!number_.empty() && follows && contains(kUnits, word) &&
      number_.size() + word.size() <= most_bytes_)
    terms_.emplace_back(number_) += word;
  number_.clear();
  if (is_number(word)) number_ = word;
}

void WordJoiner::add_whole(std::string_view stretch, std::span<const std::string_view> surfaces,
                           std::size_t i) {
  const char* const end = surfaces[i].data() + surfaces[i].size();
  const bool is_last = i + 1 == surfaces.size();
  const std::string_view gap =
      between(end, is_last ? stretch.data() + stretch.size() : surfaces[i + 1].data());
  if (i == 0) first_ = 0;
  if (!is_last && contains(kJoiners, gap)) return;  // the token goes on
  std::size_t ending = 0;
  for (const std::string_view each : kEndings)
    if (gap.starts_with(each)) ending = each.size();
  const char* const begin = surfaces[first_].data();
  const auto size = static_cast<std::size_t>(end - begin) + ending;
  const bool is_joined = first_ < i || ending > 0;
  first_ = i + 1;
  if (!is_joined || size > most_bytes_) return;
  std::string folded = normalizer_.fold({begin, size});
  if (!folded.empty() && folded.size() <= most_bytes_) terms_.push_back(std::move(folded));
}

}  // namespace kindred
