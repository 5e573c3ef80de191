#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/language.h"
#include "analyzer/normalize.h"
#include "analyzer/word_list.h"

namespace kindred {

/// A list that is part of the library: config/stopwords/<language>.txt as it was at build time.
struct BuiltinStopWords {
  std::string_view language;
  std::string_view list;  ///< the file's content, for parse_words()
};

/// All of them, by language.
std::span<const BuiltinStopWords> builtin_stop_words();

/// The stop words, folded, that `setting` names: "builtin" (those of the language; no words if
/// there is no list), "none", or the path of a file.
/// @throws Error as read_word_list() and parse_words().
WordSet stop_words(const std::string& setting, const Language& language,
                   const Normalizer& normalizer);

}  // namespace kindred
