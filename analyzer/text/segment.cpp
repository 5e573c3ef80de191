#include "analyzer/text/segment.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstring>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

constexpr std::size_t kStretch = std::size_t{1} << 16;  // keeps the UTF-16 copy in the cache
constexpr std::size_t kLongest = std::size_t{1} << 29;  // ICU counts in 32 bits
constexpr std::size_t kGap = 96;                        // ASCII that ends a mixed stretch
constexpr std::size_t kKeep = std::size_t{1} << 20;     // larger buffers are not kept

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A mark alone is none, though some are alphabetic, and more of them with each version of Unicode.
bool is_word_character(UChar32 c) {
  const std::uint32_t category = U_GET_GC_MASK(c);
  return (u_isUAlphabetic(c) && category != U_GC_MN_MASK) || (category & U_GC_N_MASK) != 0;
}

// Length of the ASCII prefix.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;

  // Eight bytes at a time: no byte of ASCII has its highest bit set.
  for (std::uint64_t eight = 0; i + sizeof eight <= text.size(); i += sizeof eight) {
    std::memcpy(&eight, text.data() + i, sizeof eight);
    if ((eight & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && (text[i] & 0x80) == 0) ++i;
  return i;
}

// Moves `at` over `units` UTF-16 units of well-formed UTF-8. True if a word character was among
// them.
bool skip_units(const char* text, std::size_t& at, std::int32_t units) {
  bool word = false;
  while (units > 0) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(text, at, c);
    units -= U16_LENGTH(c);
    word = word || is_word_character(c);
  }
  return word;
}

/// The length of a character that joins words and is no part of one at its ends: _, @ and the other
/// forms of both. 0 if it is another.
std::size_t connector_size(std::string_view character) {
  const char first = character.front();
  if (first == '_' || first == '@') return 1;
  if (first != '\xE2' && first != '\xEF') return 0;  // where the others are

  constexpr UChar32 kFullwidthAt = 0xFF20;
  std::size_t size = 0;
  UChar32 c = 0;
  U8_NEXT_UNSAFE(character.data(), size, c);
  const bool joins = u_getIntPropertyValue(c, UCHAR_WORD_BREAK) == U_WB_EXTENDNUMLET;
  if (joins || c == kFullwidthAt) return size;
  return 0;
}

/// A word without connectors at its ends. `word` has a letter or a number.
std::string_view without_connectors(std::string_view word) {
  // What joins may be part of a name, "_init_" or "@user": only at the ends it is none. There is a
  // letter or a number, so both loops end.
  while (const std::size_t size = connector_size(word)) word.remove_prefix(size);
  while (true) {
    std::size_t last = word.size();
    U8_BACK_1_UNSAFE(word.data(), last);
    if (connector_size(word.substr(last)) == 0) return word;
    word.remove_suffix(word.size() - last);
  }
}

/// The length of the signs behind a word that belong to it: those of names that have one letter,
/// as C++ and F#. `rest`: what follows the word in its stretch.
std::size_t signs_after(std::string_view word, std::string_view rest) {
  if (word.size() != 1 || rest.empty() || !u_isalpha(word.front())) return 0;

  // "c++" is a name, "c+++" is not; "c#" is, unless a word goes on behind it: "c#2", "f#_x".
  if (rest.starts_with("++") && !rest.starts_with("+++")) return 2;
  if (rest.front() != '#') return 0;

  std::size_t size = 1;
  UChar32 next = ' ';
  if (rest.size() > size) U8_NEXT_UNSAFE(rest.data(), size, next);
  if (next == '#' || next == '_' || is_word_character(next)) return 0;
  return 1;
}

void add_word(std::string_view stretch, std::size_t begin, std::size_t end,
              std::vector<std::string_view>& words) {
  const std::string_view word = without_connectors(stretch.substr(begin, end - begin));

  // The signs are looked for where the word ends without its connectors.
  const std::size_t behind =
      begin + static_cast<std::size_t>(word.data() - &stretch[begin]) + word.size();
  words.emplace_back(word.data(), word.size() + signs_after(word, stretch.substr(behind)));
}

/// What stands for a character in the word rules of ICU, where they are not those that people write
/// by, or not those of another version.
char16_t as_in_word_rules(char16_t c) {
  constexpr char16_t kParts = u'\u00A0';
  constexpr char16_t kIsIgnored = u'\u2060';
  constexpr char16_t kJoins = u'_';

  // Nearly every character ends here.
  if (c == u'@') return kJoins;
  if (c < 0x0600) return c;
  if (c <= 0x0605) return kIsIgnored;  // Arabic number signs
  switch (c) {
    case 0x06DD:  // further signs around numbers and words
    case 0x070F:
    case 0x0890:
    case 0x0891:
    case 0x08E2:
      return kIsIgnored;
    case 0x202F:  // a narrow no-break space
    case 0xFE10:  // comma and semicolon of vertical text
    case 0xFE14:
      return kParts;
    case 0x201B:  // an apostrophe
      return u'\u2019';
    case 0xFF20:  // a full-width @
      return kJoins;
    default:
      return c;
  }
}

bool is_cjk(std::string_view word) {
  UChar32 c = 0;
  U8_GET_UNSAFE(word.data(), 0, c);
  if (c < 0x1100) return false;

  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         script == USCRIPT_HANGUL || c == 0x30FC;  // the mark of long vowels is of both kana
}

/// Length of the first character with its marks.
std::size_t first_character(std::string_view text) {
  std::size_t end = 0;
  U8_FWD_1_UNSAFE(text.data(), end);

  // A mark is no character of its own: a pair has the whole of both.
  while (end < text.size()) {
    std::size_t next = end;
    UChar32 c = 0;
    U8_NEXT_UNSAFE(text.data(), next, c);
    const bool halfwidth_mark = c == 0xFF9E || c == 0xFF9F;  // of voiced kana, letters to Unicode
    if ((U_GET_GC_MASK(c) & U_GC_M_MASK) == 0 && !halfwidth_mark) break;
    end = next;
  }
  return end;
}

void add_pairs(std::string_view run, std::vector<std::string_view>& words) {
  // A single character is a word of its own; of more, each has a pair with the next.
  std::size_t first = first_character(run);
  if (first == run.size()) words.push_back(run);
  while (first < run.size()) {
    const std::size_t second = first_character(run.substr(first));
    words.push_back(run.substr(0, first + second));
    run.remove_prefix(first);
    first = second;
  }
}

}  // namespace

bool joins_words(char32_t before, char32_t c, char32_t after) {
  const auto at = static_cast<UChar32>(c);

  // The signs that people put inside of words, paths and addresses, whatever Unicode says of them.
  if (u_isUWhiteSpace(at) || c == '"') return false;
  if (c < 0x80 && std::strchr("&'+-./:@\\_#", static_cast<int>(c)) != nullptr) return c != 0;

  switch (u_getIntPropertyValue(at, UCHAR_WORD_BREAK)) {
    case U_WB_OTHER:
    case U_WB_CR:
    case U_WB_LF:
    case U_WB_NEWLINE:
      return false;
    case U_WB_MIDNUM:
      return u_isdigit(static_cast<UChar32>(before)) && u_isdigit(static_cast<UChar32>(after));
    default:
      return true;
  }
}

Segmenter::Segmenter() {
  UErrorCode status = U_ZERO_ERROR;
  breaks_.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  check_icu(status, "word BreakIterator");

  // ASCII is most of all text. The rules of this ICU for it are learned here, so that words of
  // ASCII are found without ICU, and are the ones that it would find.
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    classes_[c] = learn_class(static_cast<char>(c));
  }

  // ICU parts words at an @; people do not.
  classes_['@'] = classes_['_'];
}

bool Segmenter::is_one_segment(const std::string& ascii) {
  const std::int32_t length = to_utf16(ascii);
  begin_breaks(length);
  return breaks_->next() == length;
}

std::uint8_t Segmenter::learn_class(char c) {
  // A character is asked for as part of short words: ICU tells whether it cuts there.
  const bool letter = is_one_segment({'a', c}) && is_one_segment({c, '\'', 'a'});
  const bool digit = is_one_segment({'1', c}) && is_one_segment({c, '\'', '1'});
  std::uint8_t bits = 0;
  if (u_isalnum(c)) bits |= kMakesWord;
  if (letter) bits |= kLetter;
  if (digit) bits |= kDigit;

  // Others join only what is between them: "it's" or "3.5", but not "it'".
  if (letter || digit) return bits;
  if (is_one_segment({'a', c})) return bits | kConnector;
  if (is_one_segment({'a', c, 'a'})) bits |= kJoinsLetters;
  if (is_one_segment({'1', c, '1'})) bits |= kJoinsDigits;
  return bits;
}

void Segmenter::start(std::string_view text) {
  text_ = text;
  rest_ = text;

  // A large text that had to be repaired leaves a copy behind.
  if (repaired_.capacity() > kKeep) repaired_ = {};
}

bool Segmenter::next(std::vector<std::string_view>& words) {
  words.clear();
  if (rest_.empty()) return false;

  // By the method for ASCII as far as it goes; else by ICU over a stretch with other characters.
  std::size_t length = ascii_stretch();
  if (length != 0) {
    stretch_ = rest_.substr(0, length);
    ascii_words(stretch_, words);
  } else {
    length = mixed_stretch();
    icu_words(rest_.substr(0, length), words);
  }

  source_ = rest_.substr(0, length);
  cursor_ = {};
  rest_.remove_prefix(length);
  return true;
}

std::pair<std::size_t, std::size_t> Segmenter::place_of(std::string_view word) {
  const auto begin = static_cast<std::size_t>(word.data() - stretch_.data());

  // A word lies in the stretch, which is the text itself, or a copy of it with malformed bytes
  // replaced.
  const auto before = static_cast<std::size_t>(source_.data() - text_.data());
  if (stretch_.data() == source_.data()) return {before + begin, before + begin + word.size()};

  // The copy is walked along from the last place, because words are asked for in their order.
  cursor_ = advanced(cursor_, begin);
  return {before + cursor_.source, before + advanced(cursor_, begin + word.size()).source};
}

/// Moves on to a place in the stretch, which was repaired.
Segmenter::Cursor Segmenter::advanced(Cursor from, std::size_t repaired) const {
  constexpr std::size_t kReplacement = 3;  // bytes of U+FFFD
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(source_.data());
  while (from.repaired < repaired) {
    // Malformed bytes of the text are one U+FFFD in the copy.
    UChar32 c = 0;
    const std::size_t before = from.source;
    U8_NEXT(bytes, from.source, source_.size(), c);
    from.repaired += c < 0 ? kReplacement : from.source - before;
  }
  return from;
}

// Length of the ASCII at the front that ends before white space; 0 if there is none.
std::size_t Segmenter::ascii_stretch() const {
  const std::size_t ascii = ascii_prefix(rest_.substr(0, kStretch));
  if (ascii == rest_.size()) return ascii;

  // White space ends each word, so that the next stretch can begin without what was before.
  std::size_t end = ascii;
  while (end > 0 && !(end < rest_.size() && is_space(rest_[end]))) --end;
  return end;
}

// Length of a stretch that is not pure ASCII, at least 1. It ends before white space that is
// followed by enough ASCII to be worth the change of method, or that is far enough away.
std::size_t Segmenter::mixed_stretch() const {
  const std::size_t longest = std::min(rest_.size(), kLongest);

  std::size_t end = 1 + ascii_prefix(rest_.substr(1, longest - 1));
  while (end < longest) {
    if (is_space(rest_[end])) {
      const std::size_t gap = ascii_prefix(rest_.substr(end, kGap));
      if (end >= kStretch || gap == kGap || end + gap == rest_.size()) return end;
    }
    ++end;
  }

  // Without such white space the stretch may end inside of a word, but not inside of a character.
  while (end < rest_.size() && end > 1 && U8_IS_TRAIL(rest_[end])) --end;
  return end;
}

// WB5 to WB13b for ASCII, where nothing is Extend, Format or Hebrew.
void Segmenter::ascii_words(std::string_view stretch, std::vector<std::string_view>& words) const {
  constexpr std::uint8_t kInside = kLetter | kDigit | kConnector;
  const auto class_at = [&](std::size_t i) {
    return classes_[static_cast<std::uint8_t>(stretch[i])];
  };

  for (std::size_t i = 0; i < stretch.size();) {
    std::uint8_t seen = class_at(i);
    const std::size_t begin = i;
    ++i;

    // Each turn has one run of letters, digits and connectors, with the signs that join what is on
    // both sides.
    if ((seen & kInside) == 0) continue;
    for (; i < stretch.size(); ++i) {
      const std::uint8_t here = class_at(i);
      seen |= here;
      if ((here & kInside) != 0) continue;
      if (here == 0 || i + 1 == stretch.size()) break;
      const std::uint8_t both = class_at(i - 1) & class_at(i + 1);
      const bool joins = ((here & kJoinsLetters) != 0 && (both & kLetter) != 0) ||
                         ((here & kJoinsDigits) != 0 && (both & kDigit) != 0);
      if (!joins) break;
    }

    if ((seen & kMakesWord) == 0) continue;

    // Most words have neither connectors at their ends nor signs behind them, which only words of
    // one letter have.
    if ((seen & kConnector) != 0 || i - begin == 1) {
      add_word(stretch, begin, i, words);
    } else {
      words.push_back(stretch.substr(begin, i - begin));
    }
  }
}

std::int32_t Segmenter::to_utf16(std::string_view utf8) {
  if (utf16_.size() < utf8.size()) utf16_.resize(utf8.size());

  // One UTF-16 unit for each byte is always enough.
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t length = 0;
  std::int32_t substitutions = 0;
  u_strFromUTF8WithSub(utf16_.data(), static_cast<std::int32_t>(utf16_.size()), &length,
                       utf8.data(), static_cast<std::int32_t>(utf8.size()), 0xFFFD, &substitutions,
                       &status);

  if (status == U_STRING_NOT_TERMINATED_WARNING) status = U_ZERO_ERROR;
  check_icu(status, "conversion to UTF-16");
  std::transform(utf16_.begin(), utf16_.begin() + length, utf16_.begin(), as_in_word_rules);
  if (substitutions == 0) return length;
  return -1;
}

/// Sets breaks_ to the first `length` units of utf16_.
void Segmenter::begin_breaks(std::int32_t length) {
  UErrorCode status = U_ZERO_ERROR;
  UText text = UTEXT_INITIALIZER;
  utext_openUChars(&text, utf16_.data(), length, &status);
  breaks_->setText(&text, status);
  utext_close(&text);
  check_icu(status, "word BreakIterator");
}

void Segmenter::icu_words(std::string_view stretch, std::vector<std::string_view>& words) {
  std::int32_t length = to_utf16(stretch);

  // A stretch with malformed bytes is mended first, so that words are always well-formed.
  if (length < 0) {
    repaired_ = repair_utf8(stretch, &malformed_);
    stretch = repaired_;
    length = to_utf16(stretch);
  }
  stretch_ = stretch;

  // ICU has found the ends of segments in UTF-16 units. Walking over the UTF-8 beside them gives
  // the words where they stand.
  begin_breaks(length);
  std::size_t at = 0;
  std::int32_t before = 0;
  for (std::int32_t end = breaks_->next(); end != icu::BreakIterator::DONE; end = breaks_->next()) {
    const std::size_t begin = at;
    if (skip_units(stretch.data(), at, end - before)) add_word(stretch, begin, at, words);
    before = end;
  }

  if (utf16_.size() > kKeep) utf16_ = {};
}

void to_cjk_bigrams(std::vector<std::string_view>& words, std::vector<std::string_view>& room) {
  room.clear();
  for (std::size_t i = 0; i < words.size();) {
    if (!is_cjk(words[i])) {
      room.push_back(words[i]);
      ++i;
      continue;
    }

    // Words that touch each other are one run: ICU cuts it by a dictionary, which bigrams go
    // without.
    std::string_view run = words[i];
    ++i;
    while (i < words.size() && words[i].data() == run.data() + run.size() && is_cjk(words[i])) {
      run = {run.data(), run.size() + words[i].size()};
      ++i;
    }
    add_pairs(run, room);
  }
  words.swap(room);
}

}  // namespace kindred
