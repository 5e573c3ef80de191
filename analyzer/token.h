#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// One word of a text. `word` is what people search for; `term` is the feature, empty if a filter
/// dropped the word from the features (a stop word, a number, ...).
struct Token {
  std::string word;            ///< folded, unstemmed; "" if the word is not to be indexed at all
  std::string term;            ///< after all filters
  std::uint32_t position = 0;  ///< 1-based place among the words of the text, gaps kept
  /// Features made of several words that end with this one (word_joiner.h).
  std::vector<std::string> joined;
  /// Features made of the parts of a compound (compound_splitter.h), in their order.
  std::vector<std::string> parts;
};

/// What one step did to one word, for `kindred analyze`.
struct TraceStep {
  std::string step;    ///< "fold", or the filter's name
  std::string result;  ///< the word after it; "" if it was dropped here; of "decompound" the parts,
                       ///< with + between them
};
struct TokenTrace : Token {
  std::string surface;           ///< as it stands in the text, in well-formed UTF-8
  std::size_t begin = 0;         ///< its first byte in the text
  std::size_t end = 0;           ///< the byte behind its last one
  std::vector<TraceStep> steps;  ///< only steps that changed or dropped the word
};

}  // namespace kindred
