#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/word_list.h"

namespace kindred {

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
