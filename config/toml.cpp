#include "config/toml.h"

#include <algorithm>
#include <cstddef>

#include "config/error.h"

namespace kindred {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kMaxDots = 19;  // in a line, outside of strings and comments

/// True if a string may follow this character, spaces left out: at the start of a line, after a dot
/// of a key, or where a value is expected. Elsewhere toml++ does not see a string, and would parse
/// what is inside the quotes.
bool may_precede_string(char c) {
  return std::string_view("\n=,[{.").find(c) != std::string_view::npos;
}

/// Where the string that starts at `at` ends: after its closing quotes or, if there are none, at
/// the end of its line or of the text.
std::size_t end_of_string(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const bool long_form = toml.substr(at, 3) == std::string(3, quote);

  // The quotes of the string tell how it ends: a short one with its line at the latest, a long one
  // with three quotes.
  at += long_form ? 3 : 1;

  for (; at < toml.size(); ++at) {
    if (toml[at] == '\\' && quote == '"') {
      ++at;
    } else if (toml[at] == '\n' && !long_form) {
      return at;
    } else if (toml[at] == quote) {
      if (!long_form) return at + 1;
      if (toml.substr(at, 3) != std::string(3, quote)) continue;

      // Up to two more quotes may precede the three that close.
      at += 3;
      for (int more = 0; more < 2 && at < toml.size() && toml[at] == quote; ++more) {
        ++at;
      }
      return at;
    }
  }
  return toml.size();
}

}  // namespace

void check_toml_text(std::string_view toml, const std::string& name) {
  std::size_t at = toml.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  int dots = 0;
  char before = '\n';  // the last character that is not a space

  // Faults are named by line, as toml++ does.
  const auto refuse = [&](const std::string& fault) {
    const auto line =
        1 + std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw Error(Errc::kInvalidArgument, name + ":" + std::to_string(line) + ": " + fault);
  };

  // Strings and comments are stepped over; what is left is keys, numbers and signs.
  while (at < toml.size()) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      if (!may_precede_string(before)) refuse("a quote inside of a key, a value or another string");
      at = end_of_string(toml, at);
      before = c;
      continue;
    }

    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }

    if ((c & 0x80) != 0) {
      refuse(
          "expected ASCII outside of quotes and comments; a key of other letters goes in quotes");
    }

    // Each part of a key is a table in a table to toml++, and takes some of its stack.
    if (c == '\n') dots = 0;
    if (c == '.') ++dots;
    if (c != ' ' && c != '\t' && c != '\r') before = c;
    if (dots > kMaxDots) {
      refuse("a key of more than " + std::to_string(kMaxDots + 1) + " parts");
    }
    ++at;
  }
}

}  // namespace kindred
