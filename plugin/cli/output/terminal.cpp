#include "plugin/cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "config/shown.h"
#include "config/text_front.h"

namespace kindred::cli {
namespace {

constexpr UChar32 kZeroWidthJoiner = 0x200D;
constexpr UChar32 kEmojiSelector = 0xFE0F;

std::size_t width_alone(UChar32 c) {
  // Marks and signs of format stand on the character before; later parts of a Korean syllable are
  // drawn into it.
  const auto category = U_GET_GC_MASK(c);
  if ((category & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) != 0) return 0;
  const auto syllable = u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;

  const auto width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  if (width == U_EA_WIDE || width == U_EA_FULLWIDTH) return 2;
  return 1;
}

/// Walks over a text, character by character.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  bool at_end() const { return offset_ >= static_cast<std::int64_t>(text_.size()); }
  std::size_t offset() const { return static_cast<std::size_t>(offset_); }

  /// Reads the next character. Returns the columns that it adds.
  std::size_t next() {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text_.data()), offset_,
                    static_cast<std::int64_t>(text_.size()), c);
    const std::size_t width = width_after(before_, c);
    if (width > 0) base_ = c;
    before_ = c;
    return width;
  }

 private:
  std::size_t width_after(UChar32 before, UChar32 c) const {
    // What joins the emoji before it adds nothing: a joined picture or a color of skin.
    const bool is_joined =
        before == kZeroWidthJoiner && u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
    const bool is_skin = u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER) != 0 &&
                         u_hasBinaryProperty(before, UCHAR_EMOJI_MODIFIER_BASE) != 0;
    if (is_joined || is_skin) return 0;

    // A selector turns a character of one column into an emoji, which has two.
    if (c == kEmojiSelector) {
      const bool widens = before == base_ &&
                          u_hasBinaryProperty(before, UCHAR_EXTENDED_PICTOGRAPHIC) != 0 &&
                          width_alone(before) == 1;
      if (widens) return 1;
      return 0;
    }
    return width_alone(c);
  }

  std::string_view text_;
  std::int64_t offset_ = 0;
  UChar32 before_ = 0;  // the character that was read last
  UChar32 base_ = 0;    // the last one that took columns
};

constexpr std::size_t kMostIndented = 26;    // for a description
constexpr std::size_t kNarrowest = 24;       // columns of a description
constexpr std::size_t kFurtherIndented = 4;  // where there is no such column

/// Where the text goes on that a line is too long for.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == 0) return 0;

  // An option and its description: the description goes on in its own column, if that leaves room.
  if (begin >= kMostIndented) return begin;
  const std::size_t gap = line.find("  ", begin);
  const std::size_t column =
      gap == std::string_view::npos ? columns : line.find_first_not_of(' ', gap);
  if (column + kNarrowest <= columns) return column;
  return begin + kFurtherIndented;
}

/// The last space at which a line can be broken; npos if there is none behind its indent.
std::size_t break_of(std::string_view line, std::size_t indent, std::size_t columns) {
  const std::size_t space = line.rfind(' ', columns);
  const std::size_t first = std::max(indent, line.find_first_not_of(' '));
  if (space != std::string_view::npos && space > first) return space;
  return line.find(' ', std::max(first, columns));
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  Walk walk(text);
  while (!walk.at_end()) width += walk.next();
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  std::size_t end = 0;  // before it, all fits beside an ellipsis
  bool fits = true;

  Walk walk(text);
  while (!walk.at_end()) {
    width += walk.next();
    fits = fits && width + 1 <= columns;
    if (fits) end = walk.offset();
    if (width > columns) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

std::size_t terminal_width(int descriptor) {
  if (isatty(descriptor) != 1) return 0;

  // The user's word goes before that of the terminal.
  std::size_t columns = 0;
  const char* const set = std::getenv("COLUMNS");
  if (set != nullptr && std::from_chars(set, set + std::strlen(set), columns).ec == std::errc() &&
      columns > 0)
    return columns;

  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string result;
  std::string rest;  // of a line of a paragraph, for the next one
  const auto end_paragraph = [&] {
    if (!rest.empty()) result += std::exchange(rest, "") + '\n';
  };

  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));

    // A line of prose goes on with the rest of the one before, so that a paragraph is filled anew.
    // Indented lines, as those of a list, stand for themselves.
    const bool is_prose = !line.empty() && line.front() != ' ';
    if (!is_prose) end_paragraph();
    if (!rest.empty()) line.insert(0, std::exchange(rest, "") + ' ');
    std::size_t indent = 0;
    if (line.size() > columns) indent = hanging_indent(line, columns);

    // A line that is too long is broken at a blank, and goes on under its own text.
    bool is_broken = false;
    while (line.size() > columns) {
      const std::size_t space = break_of(line, indent, columns);
      if (space == std::string::npos) break;
      result += line.substr(0, space) + '\n';
      line = std::string(indent, ' ') + line.substr(space + 1);
      is_broken = true;
    }

    if (is_prose && is_broken) {
      rest = std::move(line);
    } else {
      result += line + '\n';
    }
  }

  end_paragraph();
  return result;
}

std::string fitted(const std::string& text, int descriptor) {
  const std::size_t columns = terminal_width(descriptor);
  if (columns > 0) return wrapped(text, columns);
  return text;
}

std::vector<std::string> reader_languages() {
  // As gettext(3) takes them: a list in $LANGUAGE, else the first locale that is set.
  std::string list;
  for (const char* const name : {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(name);
    if (list.empty() && value != nullptr) list = value;
  }

  std::vector<std::string> languages;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::string_view locale = split_off(rest, ":");
    const std::string_view language = locale.substr(0, locale.find_first_of(".@"));
    if (!language.empty() && language != "C" && language != "POSIX")
      languages.emplace_back(language);
  }
  return languages;
}

void tell(std::string_view text) {
  std::cerr << fitted(shown(text) + '\n', STDERR_FILENO) << std::flush;
}

}  // namespace kindred::cli
