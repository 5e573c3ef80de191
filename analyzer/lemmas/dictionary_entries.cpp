#include "analyzer/lemmas/dictionary_entries.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/lemmas/dictionary_encoding.h"
#include "analyzer/lemmas/dictionary_lines.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// Where the flags of an entry begin, or its end: a slash is part of the word if it comes first, or
/// behind a backslash.
std::size_t end_of_word(std::string_view entry) {
  for (std::size_t i = 1; i < entry.size(); ++i)
    if (entry[i] == '/' && entry[i - 1] != '\\') return i;
  return entry.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

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

std::string read_dictionary_file(const std::string& path) {
  return read_regular_file(path, "this file of a Hunspell dictionary", kMaxFileBytes).bytes;
}

void for_each_entry(std::string_view dictionary,
                    const std::function<void(const DictionaryEntry&)>& each) {
  bool is_first = true;
  for_each_line(dictionary, [&](std::string_view line) {
    const bool is_number = is_first && line.find_first_not_of("0123456789 \t") == line.npos;
    is_first = false;
    const std::string_view entry = line.substr(0, end_of_entry(line));
    if (is_number || entry.empty()) return;
    const std::size_t end = end_of_word(entry);
    DictionaryEntry parsed{std::string(entry.substr(0, end)),
                           entry.substr(std::min(end + 1, entry.size())),
                           line.substr(entry.size())};
    for (std::size_t at = 0; (at = parsed.word.find("\\/", at)) != std::string::npos; ++at)
      parsed.word.erase(at, 1);
    each(parsed);
  });
}

void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each) {
  const AffixFile affixes(read_dictionary_file(files.aff()));
  const DictionaryEncoding encoding(affixes.encoding, files.aff());
  for_each_entry(read_dictionary_file(files.dic()), [&](const DictionaryEntry& entry) {
    if (!affixes.marks_no_word(affixes.parse_flags(entry.flags))) each(encoding.decode(entry.word));
  });
}

}  // namespace kindred
