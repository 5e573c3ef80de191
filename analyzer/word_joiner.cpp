#include "analyzer/word_joiner.h"

#include <algorithm>
#include <iterator>

namespace kindred {
namespace {

// Folded, as words are.
constexpr std::string_view kUnits[] = {
    "bit", "bits", "bpm", "cl",  "cm",  "db", "dl", "dpi", "fps", "ft", "g",   "gb",  "ghz",
    "gib", "gw",   "h",   "hz",  "k",   "kb", "kg", "khz", "kib", "kj", "km",  "kpa", "kv",
    "kw",  "kwh",  "l",   "lb",  "lbs", "m",  "ma", "mah", "mb",  "mg", "mhz", "mi",  "mib",
    "min", "ml",   "mm",  "mph", "ms",  "mv", "mw", "nm",  "ns",  "oz", "pa",  "px",  "rpm",
    "s",   "tb",   "tib", "v",   "w",   "μf", "μg", "μl",  "μm",  "μs"};

constexpr std::string_view kUnitGaps[] = {" ", "-", "\u00A0", "\u2009", "\u202F"};

template <typename List>
bool contains(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

}  // namespace

const std::vector<std::string>& WordJoiner::next(std::string_view gap, std::string_view word,
                                                 std::string_view term) {
  terms_.clear();
  if (pairs_) add_pair(word, term);
  if (units_) add_unit(gap, word);
  return terms_;
}

void WordJoiner::add_pair(std::string_view word, std::string_view term) {
  // A word that is dropped from the features counts as it is ("not good"), but not next to another
  // one: "of the" says nothing.
  const std::string_view part = term.empty() ? word : term;
  const bool is_pair = !before_.empty() && !part.empty() && (before_is_feature_ || !term.empty());
  if (is_pair && before_.size() + part.size() <= 2 * kMaxWordBytes) {
    std::string& pair = terms_.emplace_back(before_);
    pair += ' ';
    pair += part;
  }

  before_ = part;
  before_is_feature_ = !term.empty();
}

void WordJoiner::add_unit(std::string_view gap, std::string_view word) {
  if (!number_.empty() && contains(kUnitGaps, gap) && contains(kUnits, word) &&
      number_.size() + word.size() <= kMaxWordBytes)
    terms_.emplace_back(number_) += word;

  // A number waits for the word behind it.
  const bool is_number = word.find_first_not_of("0123456789.,") == word.npos;
  number_ = is_number ? word : "";
}

}  // namespace kindred
