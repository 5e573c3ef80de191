#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/token.h"

namespace kindred {

/// Cuts texts into words as the program did that made an index, in place of the steps of Analyzer.
/// Use one per thread.
class WordCutter {
 public:
  virtual ~WordCutter() = default;

  /// Replaces `tokens` by the words of a text: word, term and position. Words of one position
  /// overlap.
  virtual void cut(std::string_view text, std::vector<Token>& tokens) = 0;

  /// The term of one such word.
  virtual std::string term_of(const std::string& word) = 0;
};

}  // namespace kindred
