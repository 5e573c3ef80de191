#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kindred {

/// What an affix file calls a flag: a number that its form of flags makes of it; 0 is none.
using AffixFlag = std::uint16_t;

/// Sorted, each once.
using AffixFlags = std::vector<AffixFlag>;

bool has_flag(const AffixFlags& flags, AffixFlag flag);

/// One line of a PFX or SFX rule: an entry that has `flag` and meets `condition` loses `strip`, and
/// gets `append` instead.
struct AffixRule {
  bool is_prefix = false;
  bool crosses = false;  ///< may stand together with an affix at the other end
  AffixFlag flag = 0;
  std::string strip, append;
  std::string condition;   ///< as in the file: "[^aeiou]y", "." for none
  AffixFlags flags;        ///< of what the rule makes: affixes that may follow, and marks
  std::string morphology;  ///< "" if there is none
};

/// The replacements that a dictionary makes in words before it looks for them, or in lemmas (ICONV,
/// OCONV).
class Replacements {
 public:
  void add(std::string from, std::string to);

  bool empty() const { return pairs_.empty(); }

  /// The text with the longest replacement at each place, from left to right.
  std::string apply(std::string_view text) const;

  /// Calls each(from, to) for all.
  template <typename Each>
  void for_each(Each&& each) const {
    for (const auto& [from, to] : pairs_) each(from, to);
  }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;  // the longest first
};

/// What the affix file of a Hunspell dictionary says of flags, affixes and entries. Texts are in
/// the encoding of the file.
struct AffixFile {
  /// Reads the content of a file.
  explicit AffixFile(std::string_view text);

  /// The flags of an entry or rule, as they stand behind its slash.
  AffixFlags parse_flags(std::string_view flags) const;

  /// True if the flags say that an entry is no word (FORBIDDENWORD, NEEDAFFIX).
  bool marks_no_word(const AffixFlags& flags) const;

  std::string encoding = "ISO8859-1";
  AffixFlag forbidden = 0, needs_affix = 0, only_in_compounds = 0, circumfix = 0;
  bool strips_whole_words = false;  ///< FULLSTRIP
  std::vector<AffixRule> rules;
  Replacements of_words, of_lemmas;

  /// Keys that change what words and entries mean and that this reader does not follow, such as
  /// COMPLEXPREFIXES, and lines that it cannot read; none if `rules` say it all.
  std::vector<std::string> not_followed;

 private:
  class Reader;
  AffixFlag parse_flag(std::string_view flag) const;

  std::string form_;  // of flags: "" (a byte each), "long" (two), "num" (with commas), "UTF-8"
  std::vector<std::string> aliases_;  // the first is their number
};

}  // namespace kindred
