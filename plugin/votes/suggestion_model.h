#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kindred {

/// How many terms that no document has are suggested to a text at most.
inline constexpr std::size_t kSuggestedTerms = 10;

/// A term of the vocabulary, and the name of it that is most like a text.
struct NamedTerm {
  std::size_t term = 0;
  std::uint32_t row = 0;  ///< of the name, in TermMirror
  double similarity = 0;  ///< the cosine of the text to it, in (0, 1]
  bool is_whole = false;  ///< the text has all words of the name
  double length = 0;      ///< of the name's vector before it is divided by it
};

/// How likely a text deserves a term of the vocabulary that no document has, by what its names say:
///
///     P = 1 / (1 + e^-z),    z = a + b ln s + c (s - s') + d whole + e ln length
///
/// Here s is the cosine of the text to a name of the term, and s' the largest of another term that
/// no document has; if there is none, s - s' = 0. `whole` is 1 if the text has all words of the
/// name, else 0, and `length` that of the name's vector: the more rare words, the longer.
struct SuggestionModel {
  static constexpr std::size_t kSize = 5;
  using Row = std::array<double, kSize>;

  /// a to e. Without anything that was learned, as a large catalogue taught it.
  Row coefficients = {-5.7, 2.5, 4.2, 1.8, 1.8};

  bool operator==(const SuggestionModel&) const = default;

  /// What is weighed of each of the terms that a text may deserve.
  static std::vector<Row> rows(std::span<const NamedTerm> terms);

  double probability(const Row& row) const;
};

}  // namespace kindred
