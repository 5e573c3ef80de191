#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>
#include <vector>

namespace kindred {

inline constexpr std::size_t kLongestPart =
    1024;  ///< bytes of letters that may be a part of a word

/// A word that a hyphen may part at a line end: "docu-" and "ment" on the next line. All places are
/// bytes of the text.
struct PartedWord {
  std::size_t begin;   ///< the letters before the line end are [begin, hyphen)
  std::size_t hyphen;  ///< where the hyphen begins
  std::size_t rest;    ///< the letters behind it are [rest, end)
  std::size_t end;
};

/// The places where letters, a hyphen (-, U+2010 or a soft one), a line end and more letters follow
/// each other, in their order. White space may be around the line end. Whether they are one word or
/// two, as "well-known", the text alone does not say.
std::vector<PartedWord> parted_words(std::string_view text);

/// The runs of letters of a text that may be one of some words: those of ASCII that have so many
/// bytes as one of them (`lengths`), and all that are not ASCII.
std::vector<std::string_view> letter_runs(std::string_view text,
                                          const std::bitset<kLongestPart>& lengths);

}  // namespace kindred
