#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// A word of a text, as an index with its settings has it.
struct AnalyzedWord {
  std::string word;                 ///< folded, a term without a prefix; "" if it is not indexed
  std::string term;                 ///< the feature, prefix included; "" if it is none
  std::uint32_t position = 0;       ///< 1-based place among the words of the text, gaps kept
  bool stop_word = false;           ///< it is no feature for that reason
  std::vector<std::string> joined;  ///< features of several words that end with this one
};

struct AnalyzedText {
  std::string language;  ///< by which it was analyzed: a code without region
  std::string prefix;    ///< of features: "Z" where the index has stems, else ""
  std::vector<AnalyzedWord> words;
};

}  // namespace kindred
