#include "analyzer/text/word_list.h"

#include <algorithm>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// A line of a file, for messages.
struct Line {
  const std::string& file;
  std::size_t line;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::kInvalidArgument, file + ", line " + std::to_string(line) + ": " + what);
  }
};

std::string folded_word(std::string_view text, const Line& where, const Normalizer& normalizer) {
  const std::string_view word = trim(text);
  if (word.empty()) where.fail("expected a word");
  if (word.find_first_of(kSpace) != std::string_view::npos)
    where.fail("expected one word, found \"" + std::string(word) + "\"");
  std::string folded = normalizer.fold(word);
  if (folded.empty()) where.fail("folding leaves nothing of the word");
  return folded;
}

// Calls each(line, where) for every line that is neither empty nor a comment.
template <typename Each>
void for_each_line(std::string_view list, const std::string& name, Each&& each) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (list.starts_with(kByteOrderMark)) list.remove_prefix(kByteOrderMark.size());

  for (std::size_t number = 1; !list.empty(); ++number) {
    const std::size_t end = std::min(list.find('\n'), list.size());
    const std::string_view line = trim(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));

    // Comments may be in any encoding; words may not.
    if (line.empty() || line.front() == '#') continue;
    const Line where{name, number};
    if (!is_utf8(line)) where.fail("expected UTF-8, found a malformed byte sequence");
    each(line, where);
  }
}

/// Both words of a line, folded.
std::pair<std::string, std::string> folded_pair(std::string_view line, const std::string& form,
                                                const Line& where, const Normalizer& normalizer) {
  const std::size_t tab = line.find('\t');

  // Exactly one tab: with two, it would be a guess which words are meant.
  if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos)
    where.fail("expected " + form + ", found \"" + std::string(line) + "\"");

  return {folded_word(line.substr(0, tab), where, normalizer),
          folded_word(line.substr(tab + 1), where, normalizer)};
}

}  // namespace

std::string read_word_list(const std::string& path, std::string_view purpose) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  return read_regular_file(path, "this file of " + std::string(purpose), kMaxBytes).bytes;
}

WordSet parse_words(std::string_view list, const std::string& name, const Normalizer& normalizer) {
  WordSet words;
  for_each_line(list, name, [&](std::string_view line, const Line& where) {
    words.insert(folded_word(line, where, normalizer));
  });
  return words;
}

void for_each_pair(std::string_view list, const std::string& name, const std::string& form,
                   const Normalizer& normalizer,
                   const std::function<void(const std::string&, const std::string&)>& each) {
  for_each_line(list, name, [&](std::string_view line, const Line& where) {
    const auto [first, second] = folded_pair(line, form, where, normalizer);
    each(first, second);
  });
}

WordMap parse_stems(std::string_view list, const std::string& name, const Normalizer& normalizer) {
  WordMap stems;
  for_each_line(list, name, [&](std::string_view line, const Line& where) {
    // A word alone keeps its form.
    const bool is_alone = line.find_first_of(kSpace) == std::string_view::npos;
    const auto [word, stem] = is_alone
                                  ? std::pair(folded_word(line, where, normalizer), std::string())
                                  : folded_pair(line, "word TAB stem", where, normalizer);

    // The same line twice does no harm; two stems would depend on the order of lines.
    const auto [entry, added] = stems.emplace(word, stem);
    if (!added && entry->second != stem)
      where.fail("\"" + word + "\" has the stem \"" + entry->second + "\" already");
  });
  return stems;
}

WordSet stop_words(const std::string& setting, const Language& language,
                   const Normalizer& normalizer) {
  if (setting == "none" || setting.empty()) return {};

  if (setting != "builtin")
    return parse_words(read_word_list(setting, "stop words"), setting, normalizer);

  // A language without a list has no stop words.
  const auto lists = builtin_stop_words();
  const auto found = std::ranges::find(lists, language.list, &BuiltinStopWords::language);
  if (found == lists.end()) return {};
  return parse_words(found->list, std::string(found->language) + ".txt", normalizer);
}

}  // namespace kindred
