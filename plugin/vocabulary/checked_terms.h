#pragma once

#include <cstddef>
#include <vector>

#include "config/settings.h"
#include "plugin/questions.h"

namespace kindred {

/// Terms without what is wrong with them, and what that was.
struct CheckedTerms {
  std::vector<api::VocabularyTerm> terms;
  std::vector<api::VocabularyMistake> mistakes;  ///< by the terms as they were given
};

inline constexpr std::size_t kMostVocabularyTerms = 1'000'000;
inline constexpr std::size_t kMostNameBytes = 1000;    ///< of a name or synonym
inline constexpr std::size_t kMostLanguageBytes = 35;  ///< as "sl-rozaj-biske-1994"
inline constexpr std::size_t kMostNoteBytes = 10'000;
inline constexpr std::size_t kMostTermTexts = 1000;  ///< names, synonyms and other terms of a term

/// Leaves out:
///
/// - a term whose id cannot be a label, which has no name and is not deprecated, or whose texts are
///   more or longer than they may be,
/// - the second of two terms with one id,
/// - a broader term, or one to use instead, that is not there, or is the term itself,
/// - a broader term that closes a circle.
///
/// Ids are then as labels are, and white space in names is single spaces.
/// @throws Error kInvalidArgument for more than kMostVocabularyTerms.
CheckedTerms check_terms(std::vector<api::VocabularyTerm> terms, const LabelSettings& settings);

}  // namespace kindred
