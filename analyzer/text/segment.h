#pragma once

#include <unicode/brkiter.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kindred {

/// True if a word may go on over the character `c` between those before and after it, by UAX #29,
/// or if people write several words with it between them that belong together: "well-known",
/// "AT&T". Never for white space and quotes ("). Letters and digits are not asked for.
bool joins_words(char32_t before, char32_t c, char32_t after);

/// Finds the words of a text: the segments of UAX #29 (ICU's root rules, with its dictionaries for
/// Chinese, Japanese, Thai and their neighbors) that hold a letter, an ideograph, kana or a number.
/// White space always ends a word, also the narrow no-break space, U+202F. What Unicode ignores
/// inside words (soft hyphens, joiners, marks of direction) does not, but the zero width space
/// does. A pull parser: start(), then next() until it returns false.
///
/// The signs @ and _ join what is on both sides ("a@b.org", "snake_case"), but are no part of a
/// word at its ends ("@name", "_emphasis_"). Names of one letter keep the signs behind them: "C++",
/// "F#".
///
/// The text is first cut into stretches before ASCII white space: every rule of UAX #29 has a
/// boundary there, and no rule looks across. A stretch of pure ASCII goes through a table, every
/// other stretch to ICU. The classes of the table are learned from ICU, so both ways give the same
/// words. They are the same with ICU 72, 74 and 76, but for scripts that ICU parts by dictionary
/// and for characters that are new in Unicode. Use one Segmenter per thread.
class Segmenter {
 public:
  Segmenter();

  /// Begins a text, which must outlive the calls of next().
  void start(std::string_view text);

  /// Replaces `words` by those of the next stretch, in order, in well-formed UTF-8; false at the
  /// end of the text. A stretch may have no words. The views are valid until the next call.
  bool next(std::vector<std::string_view>& words);

  /// The stretch of those words, in well-formed UTF-8. Valid until the next call.
  std::string_view stretch() const { return stretch_; }

  /// Where a word of the stretch lies in the text: its first byte, and the one behind its last. A
  /// malformed sequence is as long there as it is. Ask for the words in their order: the time for
  /// all is that of one walk over the stretch.
  std::pair<std::size_t, std::size_t> place_of(std::string_view word);

  /// How many malformed byte sequences it has met since construction; each is read as U+FFFD.
  std::uint64_t malformed() const { return malformed_; }

 private:
  /// What an ASCII character is to the rules of UAX #29, as bits: what it is itself, and what it
  /// joins.
  enum Class : std::uint8_t {
    kLetter = 1,        // ALetter
    kDigit = 2,         // Numeric
    kConnector = 4,     // ExtendNumLet, and @
    kJoinsLetters = 8,  // MidLetter, MidNumLet, Single_Quote
    kJoinsDigits = 16,  // MidNum, MidNumLet, Single_Quote
    kMakesWord = 32,    // a letter or a digit: a segment without one is not a word
  };

  std::uint8_t learn_class(char c);
  bool is_one_segment(const std::string& ascii);
  std::size_t ascii_stretch() const;
  std::size_t mixed_stretch() const;
  void ascii_words(std::string_view stretch, std::vector<std::string_view>& words) const;
  void icu_words(std::string_view stretch, std::vector<std::string_view>& words);
  std::int32_t to_utf16(std::string_view utf8);
  void begin_breaks(std::int32_t length);

  std::unique_ptr<icu::BreakIterator> breaks_;
  std::array<std::uint8_t, 128> classes_{};
  /// A place in the stretch, and the same place in the text as it was before repair.
  struct Cursor {
    std::size_t repaired = 0;
    std::size_t source = 0;
  };
  Cursor advanced(Cursor from, std::size_t repaired) const;

  std::string_view text_;
  std::string_view rest_;
  std::string_view stretch_;
  std::string_view source_;  // the stretch before repair
  Cursor cursor_;
  std::u16string utf16_;
  std::string repaired_;
  std::uint64_t malformed_ = 0;
};

/// Replaces the words of Chinese, Japanese and Korean (those that begin with an ideograph, kana or
/// Hangul) by pairs of adjacent characters that overlap: "東京都" gives "東京" and "京都". Words
/// that touch make one run, and a run of one character stays. Marks belong to the character before
/// them. Other words stay.
/// `words`: views into one text of well-formed UTF-8, in its order, as Segmenter::next() gives
/// them; so are the pairs. `room` is scratch space.
void to_cjk_bigrams(std::vector<std::string_view>& words, std::vector<std::string_view>& room);

}  // namespace kindred
