#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/words/normalize.h"
#include "config/settings.h"

namespace kindred {

/// Makes terms of several words of a text, as the settings ask for:
///
/// - ngrams = 2: each pair of neighbors, with a space between them, unless both are dropped from
///   the features. A word counts there as its term, or as it is if it has none ("not good").
/// - units: a number and the unit behind it, "5 km" as "5km".
/// - whole_tokens: what is written without white space, from first to last word, if a joining
///   character is in it: "libfoo-dev", "foo::bar", "c++", "https://example.org/a", "1.2-3".
///
/// A term ends with one word, so a text of n words has at most 3 n of them. Terms of more than
/// max_word_bytes, for pairs twice as much, are left out. Use one for each thread.
class WordJoiner {
 public:
  WordJoiner(const AnalyzerSettings& settings, const Normalizer& normalizer);

  /// False if there are no such terms.
  bool active() const { return pairs_ || units_ || whole_; }

  /// Begins a text.
  void start();

  /// Call it for each word of the text in turn: word `i` of those of a stretch (Segmenter::next()),
  /// with its Token::word and Token::term. Returns the terms that end with this word, until the
  /// next call.
  const std::vector<std::string>& next(std::string_view stretch,
                                       std::span<const std::string_view> surfaces, std::size_t i,
                                       std::string_view word, std::string_view term);

 private:
  void add_pair(std::string_view word, std::string_view term);
  void add_unit(std::string_view gap, std::string_view word);
  void add_whole(std::string_view stretch, std::span<const std::string_view> surfaces,
                 std::size_t i);

  const Normalizer& normalizer_;
  const bool pairs_, units_, whole_;
  const std::size_t most_bytes_;
  std::vector<std::string> terms_;
  std::string before_;              // the word before, as a pair has it; "" if there is none
  bool before_is_feature_ = false;  // ... and whether it has a term
  std::string number_;              // the word before, if it is a number
  std::size_t first_ = 0;           // word of the stretch with which the token begins
};

}  // namespace kindred
