#include "plugin/related/contributions.h"

#include <algorithm>
#include <string>

#include "gpu/scoring.h"

namespace kindred {

std::vector<api::TermContribution> contributions(const Mirror& mirror, const View& view,
                                                 const SparseVector& query, Xapian::docid docid) {
  const RowEntries stored = mirror.terms_of(docid);
  const TermWeighting& weighting = *view.weighting;

  // The formula of docs/scoring.md, term by term: weights of the query times those of the document,
  // over the document's length.
  const auto weight_at = [&](std::size_t i) {
    return weighting.tf[stored.counts[i]] * weighting.idf[stored.columns[i]];
  };

  const bool divides_all = weighting.divisor == RowDivisor::kLongest;
  const double length = dividing_length(euclidean_length(stored.size(), weight_at),
                                        divides_all ? view.backend->longest() : 0);

  // Terms of the query are sorted, so each term of the document is looked up among them.
  std::vector<api::TermContribution> parts;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::uint32_t term = stored.columns[i];
    const auto it = std::ranges::lower_bound(query.terms, term);
    if (it == query.terms.end() || *it != term) continue;
    const double part = query.weights[it - query.terms.begin()] * weight_at(i) / length;
    if (part > 0) parts.push_back({std::string(mirror.dictionary[term]), {}, part});
  }

  std::ranges::sort(parts, [](const api::TermContribution& a, const api::TermContribution& b) {
    if (a.contribution != b.contribution) return a.contribution > b.contribution;
    return a.term < b.term;
  });
  return parts;
}

}  // namespace kindred
