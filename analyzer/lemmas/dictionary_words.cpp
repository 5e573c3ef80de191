#include "analyzer/lemmas/dictionary_words.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/dictionary_encoding.h"

namespace kindred {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Calls each(line) for the lines of a file, without a byte order mark and line ends.
template <typename Each>
void for_each_line(std::string_view text, Each&& each) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
  }
}

/// Takes the next field off a line: what stands between blanks; "" at the end.
std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(field.size());
  return field;
}

/// What an affix file says of entries.
struct AffixHead {
  explicit AffixHead(std::string_view text) {
    for_each_line(text, [&](std::string_view line) {
      const std::string_view key = take_field(line), value = take_field(line);
      if (key == "SET") encoding = value;
      if (key == "FLAG") form = value;
      if (key == "AF") aliases.emplace_back(value);
      if (key == "FORBIDDENWORD") forbidden = value;
      if (key == "NEEDAFFIX" || key == "PSEUDOROOT") needs_affix = value;
    });
  }

  /// True if flags, as they stand behind the slash of an entry, say that it is no word.
  bool marks_no_word(std::string_view flags) const {
    if (!aliases.empty()) {
      std::size_t number = 0;
      std::from_chars(flags.data(), flags.data() + flags.size(), number);
      flags = number > 0 && number < aliases.size() ? aliases[number] : std::string_view();
    }
    return has(flags, forbidden) || has(flags, needs_affix);
  }

  std::string encoding = "ISO8859-1";

 private:
  bool has(std::string_view flags, std::string_view flag) const {
    if (flag.empty()) return false;
    for (std::size_t at = flags.find(flag); at != flags.npos; at = flags.find(flag, at + 1)) {
      const std::size_t end = at + flag.size();
      const bool is_number =
          (at == 0 || flags[at - 1] == ',') && (end == flags.size() || flags[end] == ',');
      if (form == "num" ? is_number : form != "long" || at % 2 == 0) return true;
    }
    return false;
  }

  std::string form;  // of flags: "" (a byte each), "long" (two), "num" (with commas), "UTF-8"
  std::vector<std::string> aliases;  // the first is their number
  std::string forbidden, needs_affix;
};

/// Where the flags of an entry begin, or its end: a slash is part of the word if it comes first, or
/// behind a backslash.
std::size_t end_of_word(std::string_view entry) {
  for (std::size_t i = 1; i < entry.size(); ++i)
    if (entry[i] == '/' && entry[i - 1] != '\\') return i;
  return entry.size();
}

/// Where the fields behind the word and its flags begin, such as " st:go", or the end: with a tab,
/// or with a blank and a name of two letters with a colon.
std::size_t end_of_entry(std::string_view line) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  for (std::size_t colon = line.find(':'); colon < tab; colon = line.find(':', colon + 1)) {
    if (colon < 4 || !is_blank(line[colon - 3])) continue;
    std::size_t end = colon - 3;
    while (end > 0 && is_blank(line[end - 1])) --end;
    if (end > 0) return end;
  }
  return tab;
}

}  // namespace

void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each) {
  const AffixHead affixes(read_dictionary_file(files.aff()));
  const DictionaryEncoding encoding(affixes.encoding, files.aff());
  bool is_first = true;
  for_each_line(read_dictionary_file(files.dic()), [&](std::string_view line) {
    const bool is_number = is_first && line.find_first_not_of("0123456789 \t") == line.npos;
    is_first = false;
    const std::string_view entry = line.substr(0, end_of_entry(line));
    const std::size_t end = end_of_word(entry);
    if (is_number || entry.empty() ||
        affixes.marks_no_word(entry.substr(std::min(end + 1, entry.size()))))
      return;
    std::string word(entry.substr(0, end));
    for (std::size_t at = 0; (at = word.find("\\/", at)) != std::string::npos; ++at)
      word.erase(at, 1);
    each(encoding.decode(word));
  });
}

}  // namespace kindred
