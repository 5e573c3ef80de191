#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// Makes terms of several words of a text, as the settings ask for:
///
/// - ngrams = 2: each pair of neighbors, with a space between them, unless both are dropped from
///   the features. A word counts there as its term, or as it is if it has none ("not good").
/// - units: a number and the unit behind it, "5 km" as "5km".
///
/// Terms of more than kMaxWordBytes, for pairs twice as much, are left out. Use one for each
/// thread.
class WordJoiner {
 public:
  explicit WordJoiner(const AnalyzerSettings& settings)
      : pairs_(settings.ngrams > 1), units_(settings.units) {}

  /// Begins a text.
  void start() {
    before_.clear();
    number_.clear();
  }

  /// Call it for each word of the text in turn, with what is between it and the word before, its
  /// Token::word and Token::term. Returns the terms that end with this word, until the next call.
  const std::vector<std::string>& next(std::string_view gap, std::string_view word,
                                       std::string_view term);

 private:
  void add_pair(std::string_view word, std::string_view term);
  void add_unit(std::string_view gap, std::string_view word);

  const bool pairs_;
  const bool units_;
  std::vector<std::string> terms_;
  std::string before_;              // the word before, as a pair has it; "" if there is none
  bool before_is_feature_ = false;  // ... and whether it has a term
  std::string number_;              // the word before, if it is a number
};

}  // namespace kindred
