#include "analyzer/lemmas/dictionary_entries.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/dictionary_encoding.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string read(const std::string& path) {
  return read_regular_file(path, "this file of a Hunspell dictionary", kMaxFileBytes).bytes;
}

template <typename Each>
void for_each_line(std::string_view text, Each&& each) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
  }
}

std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(field.size());
  return field;
}

/// What the affix file says of encoding and flags.
struct AffixFile {
  explicit AffixFile(const std::string& text) {
    for_each_line(text, [&](std::string_view line) {
      const std::string_view key = take_field(line), value = take_field(line);
      if (key == "SET") encoding = value;
      if (key == "FLAG") form = value;
      if (key == "AF") aliases.emplace_back(value);  // the first is their number
      if (key == "FORBIDDENWORD" || key == "NEEDAFFIX") no_words.emplace_back(value);
    });
  }

  /// True if one of the flags says that the entry is no word.
  bool marks_no_word(std::string_view flags) const {
    if (!aliases.empty()) {
      std::size_t number = 0;
      for (const char c : flags) {
        if (c < '0' || c > '9' || number >= aliases.size()) return false;
        number = 10 * number + static_cast<std::size_t>(c - '0');
      }
      if (number == 0 || number >= aliases.size()) return false;
      flags = aliases[number];
    }
    return std::any_of(no_words.begin(), no_words.end(),
                       [&](const std::string& flag) { return has(flags, flag); });
  }

  std::string encoding = "ISO8859-1";
  std::string form;  // of flags: "" (a byte each), "long" (two), "num" (with commas), "UTF-8"
  std::vector<std::string> aliases;
  std::vector<std::string> no_words;

 private:
  bool has(std::string_view flags, std::string_view flag) const {
    if (form == "num") {
      while (!flags.empty()) {
        const std::size_t end = std::min(flags.find(','), flags.size());
        if (flags.substr(0, end) == flag) return true;
        flags.remove_prefix(std::min(end + 1, flags.size()));
      }
      return false;
    }
    const std::size_t step = form == "long" ? 2 : 1;
    for (std::size_t i = 0; i + flag.size() <= flags.size(); i += step)
      if (flags.substr(i, flag.size()) == flag) return true;
    return false;
  }
};

/// Where the flags of an entry begin, or its end: a slash is part of the word if it comes first, or
/// behind a backslash.
std::size_t end_of_word(std::string_view entry) {
  for (std::size_t i = 1; i < entry.size(); ++i)
    if (entry[i] == '/' && entry[i - 1] != '\\') return i;
  return entry.size();
}

}  // namespace

void for_each_entry(const DictionaryFiles& files,
                    const std::function<void(const std::string&)>& each) {
  const AffixFile affixes(read(files.aff()));
  const DictionaryEncoding encoding(affixes.encoding, files.aff());
  bool is_first = true;
  for_each_line(read(files.dic()), [&](std::string_view line) {
    const bool is_number = is_first && line.find_first_not_of("0123456789 \t") == line.npos;
    is_first = false;
    const std::string_view entry = take_field(line);
    if (is_number || entry.empty()) return;
    const std::size_t end = end_of_word(entry);
    const std::string_view flags = entry.substr(std::min(end + 1, entry.size()));
    if (!affixes.marks_no_word(flags)) each(encoding.decode(std::string(entry.substr(0, end))));
  });
}

}  // namespace kindred
