#include "plugin/votes/suggestion_model.h"

#include <cmath>

#include "plugin/votes/largest.h"
#include "plugin/votes/votes.h"

namespace kindred {

std::vector<SuggestionModel::Row> SuggestionModel::rows(std::span<const NamedTerm> terms) {
  Largest<double> largest;
  for (const NamedTerm& term : terms) largest.add(term.similarity);

  std::vector<Row> rows;
  for (const NamedTerm& term : terms) {
    rows.push_back({1, std::log(term.similarity), largest.lead(term.similarity),
                    term.is_whole ? 1.0 : 0.0, std::log(term.length)});
  }
  return rows;
}

double SuggestionModel::probability(const Row& row) const {
  double z = 0;
  for (std::size_t i = 0; i < kSize; ++i) z += coefficients[i] * row[i];
  return as_probability(z);
}

}  // namespace kindred
