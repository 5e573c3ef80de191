#include "plugin/related/feedback.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plugin/related/contributions.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kTermsKept = 50;  // or as many as the query has; 100 find no more
constexpr std::size_t kMostBrought = 10;

using Weighed = std::pair<std::uint32_t, double>;  // a term and its weight

/// The unit vector of a document.
Queries unit_vector(const Snapshot& snapshot, const TermWeighting& weighting, Xapian::docid docid) {
  Queries unit;
  snapshot.weigh_document(docid, weighting, unit);
  return unit;
}

/// Adds up the weights of each term, in the order in which they were put there.
std::vector<Weighed> added_up(std::vector<Weighed> parts) {
  std::ranges::stable_sort(parts, {}, &Weighed::first);

  std::vector<Weighed> sums;
  for (const Weighed& part : parts) {
    if (sums.empty() || sums.back().first != part.first) {
      sums.push_back(part);
    } else {
      sums.back().second += part.second;
    }
  }
  return sums;
}

/// The largest of them, by terms.
void keep_largest(std::vector<Weighed>& weights, std::size_t most) {
  if (weights.size() <= most) return;

  const auto end = weights.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(weights.begin(), end, weights.end(), [](const Weighed& a, const Weighed& b) {
    if (a.second != b.second) return a.second > b.second;
    return a.first < b.first;
  });
  weights.erase(end, weights.end());
  std::ranges::sort(weights);
}

/// What a neighbor brings of a term to the moved query, but for a factor that all have.
double brought_by(const Snapshot& snapshot, const Neighbor& neighbor, std::uint32_t term) {
  const Queries unit = unit_vector(snapshot, *snapshot.related().weighting, neighbor.number);
  const auto terms = unit.terms(0);
  const auto at = std::ranges::lower_bound(terms, term);
  if (at == terms.end() || *at != term) return 0;
  return neighbor.similarity * unit.weights(0)[static_cast<std::size_t>(at - terms.begin())];
}

}  // namespace

void add_moved(const Snapshot& snapshot, const TermWeighting& weighting, const SparseVector& query,
               std::span<const Neighbor> nearest, Queries& moved) {
  double all = 0;
  for (const Neighbor& neighbor : nearest) all += neighbor.similarity;

  std::vector<Weighed> parts;
  for (std::size_t i = 0; i < query.terms.size(); ++i)
    parts.emplace_back(query.terms[i], query.weights[i]);
  for (const Neighbor& neighbor : nearest) {
    const Queries unit = unit_vector(snapshot, weighting, neighbor.number);
    const double share = neighbor.similarity / all;
    for (std::size_t i = 0; i < unit.terms(0).size(); ++i)
      parts.emplace_back(unit.terms(0)[i], share * unit.weights(0)[i]);
  }

  std::vector<Weighed> sums = added_up(std::move(parts));
  keep_largest(sums, std::max(kTermsKept, query.terms.size()));

  std::vector<std::uint32_t> terms;
  std::vector<double> weights;
  for (const auto& [term, weight] : sums) {
    terms.push_back(term);
    weights.push_back(weight);
  }
  moved.add_weights(terms, weights);
}

std::vector<api::NeighborTerm> brought_terms(const Snapshot& snapshot, const SparseVector& query,
                                             const SparseVector& moved,
                                             std::span<const Neighbor> nearest,
                                             Xapian::docid docid) {
  // What a document brings itself is no reason to show it.
  std::vector<Neighbor> others(nearest.begin(), nearest.end());
  std::erase_if(others, [&](const Neighbor& neighbor) {
    return neighbor.number == docid;
  });
  if (others.empty()) return {};

  const Mirror& mirror = snapshot.mirror();
  std::vector<api::NeighborTerm> brought;
  for (api::TermContribution& part : contributions(mirror, snapshot.related(), moved, docid)) {
    const std::uint32_t term = mirror.column_of(part.term).value();
    if (std::ranges::binary_search(query.terms, term)) continue;
    if (brought.size() == kMostBrought) break;

    const auto brings = [&](const Neighbor& neighbor) {
      return brought_by(snapshot, neighbor, term);
    };
    const Neighbor& from = *std::ranges::max_element(others, {}, brings);
    if (!(brings(from) > 0)) continue;
    api::NeighborTerm& each = brought.emplace_back();
    static_cast<api::TermContribution&>(each) = std::move(part);
    each.id = mirror.id_of(from.number);
    each.docid = from.number;
  }
  return brought;
}

}  // namespace kindred
