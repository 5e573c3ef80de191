#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"

namespace kindred {

/// Allows look-ups by string_view in the containers below.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using WordSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;
using WordMap = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

/// The content of a word-list file. `purpose` tells in messages what the list is for ("stop
/// words"). @throws Error kNotFound if it cannot be read; kInvalidArgument if it is not a regular
/// file, or longer than 64 MiB.
std::string read_word_list(const std::string& path, std::string_view purpose);

/// Reads one word per line and folds it. Ignores empty lines, lines that begin with #, a byte order
/// mark, and white space around the word.
/// @throws Error kInvalidArgument that names `name` and the line: malformed UTF-8, white space
/// inside a word, or a word of which folding leaves nothing.
WordSet parse_words(std::string_view list, const std::string& name, const Normalizer& normalizer);

/// Reads one pair per line, with a TAB between the two, folds both, and calls each(first, second);
/// otherwise as parse_words(). `form` says in messages what a line is: "word TAB stem".
/// @throws Error kInvalidArgument also for a line that does not have exactly one TAB, or that has
/// more than one word on a side of it; what `each` throws.
void for_each_pair(std::string_view list, const std::string& name, const std::string& form,
                   const Normalizer& normalizer,
                   const std::function<void(const std::string&, const std::string&)>& each);

/// Reads one pair per line, word TAB stem, and folds both; otherwise as parse_words(). A word alone
/// on its line has the stem "".
/// @throws Error kInvalidArgument also for a line that has several words but not exactly one TAB,
/// and for a word that an earlier line gives another stem.
WordMap parse_stems(std::string_view list, const std::string& name, const Normalizer& normalizer);

/// A list that is built into the library: config/stopwords/<language>.txt.
struct BuiltinStopWords {
  std::string_view language;
  std::string_view list;  ///< the file's content, for parse_words()
};

/// All built-in lists, by language.
std::span<const BuiltinStopWords> builtin_stop_words();

/// The stop words that `setting` names, folded: "builtin" (the list of the language; no words if
/// there is none), "none", or the path of a file.
/// @throws Error as read_word_list() and parse_words().
WordSet stop_words(const std::string& setting, const Language& language,
                   const Normalizer& normalizer);

}  // namespace kindred
