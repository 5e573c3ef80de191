#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// How many documents have a label.
struct LabelCount {
  std::string name;
  std::uint64_t documents = 0;  ///< that people gave it to
  std::uint64_t predicted = 0;  ///< that have it as a predicted tag
  std::uint64_t rejected = 0;   ///< that must not get it
};

struct LabelCounts {
  std::uint64_t revision = 0;      ///< of the index that was read
  std::vector<LabelCount> labels;  ///< in byte order
};

/// What an index has under a prefix of terms.
struct PrefixCount {
  std::string prefix;
  std::uint64_t terms = 0;        ///< distinct ones
  std::uint64_t documents = 0;    ///< that have one of them or more
  std::uint64_t postings = 0;     ///< pairs of a term and a document
  std::uint64_t occurrences = 0;  ///< of its terms in the documents; 0 for purely boolean terms
  std::uint64_t words = 0;        ///< terms whose value is a word: letters and digits alone
};

/// Which settings would read an index, as far as its terms tell.
struct SettingsGuess {
  std::string profile;  ///< of the program that made it, or "none"
  std::string toml;     ///< the settings; "" if it is read as it is
  /// Sentences on what its terms do not tell: "which terms are labels (labels.prefix): XA or XB".
  std::vector<std::string> unknown;
};

}  // namespace kindred
