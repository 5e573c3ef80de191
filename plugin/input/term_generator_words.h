#pragma once

#include <memory>
#include <string_view>

#include "analyzer/analyzer.h"
#include "config/profiles.h"

namespace kindred {

/// Cuts texts as Xapian::TermGenerator does, with the stemmer of a language, so that a text has the
/// terms that it has in an index of a program that uses TermGenerator. `ngrams`: as its
/// FLAG_CJK_NGRAM, Chinese, Japanese and Korean become characters and pairs of them. `stems_all`:
/// as STEM_ALL, also words that do not begin with a letter have a stem; else as STEM_SOME.
/// `folding`: of the whole text, before it is cut.
std::unique_ptr<WordCutter> term_generator_words(std::string_view language, bool ngrams,
                                                 bool stems_all,
                                                 TextFolding folding = TextFolding::kNone);

}  // namespace kindred
