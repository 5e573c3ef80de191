#include "plugin/classifier.h"

#include <algorithm>
#include <string>

#include "config/error.h"
#include "gpu/vote.h"
#include "plugin/snapshot.h"

namespace kindred {
namespace {

/// The rows that may vote under a filter: labeled, and allowed.
std::vector<std::uint64_t> voters(const Mirror& mirror, const RowBits& allowed) {
  std::vector<std::uint64_t> bits = mirror.labeled;
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= allowed[i];
  return bits;
}

Voter make_voter(const Mirror& mirror, const Neighbor& neighbor) {
  return {std::string(mirror.ids[neighbor.row]), mirror.docids[neighbor.row], neighbor.similarity,
          mirror.labels.names_of(neighbor.row)};
}

/// The most labels that k documents can have.
std::size_t labels_of_voters(const Mirror& mirror, std::size_t k) {
  std::size_t most = 0;
  for (std::uint32_t row = 0; row < mirror.docids.size(); ++row)
    most = std::max(most, mirror.labels.of(row).size());
  return k * most;  // k is at most the number of documents + 1
}

/// Shares that tags and scores are made of: no more than there are labels. So many labels as
/// `never` says are not given, and need others behind them.
std::size_t shares_wanted(const Mirror& mirror, const ClassifyRequest& request, std::size_t k,
                          std::size_t never) {
  auto most = static_cast<std::size_t>(*request.max_labels) + never;
  if (request.scores) most = std::max<std::size_t>(1, labels_of_voters(mirror, k));
  return std::clamp<std::size_t>(mirror.labels.names.size(), 1, most);
}

}  // namespace

ClassifyRequest with_defaults(ClassifyRequest request, const ClassifySettings& settings) {
  if (!request.k) request.k = settings.k;
  if (!request.threshold) request.threshold = settings.threshold;
  if (!request.max_labels) request.max_labels = settings.max_labels;
  if (*request.k < 1) throw Error(Errc::kInvalidArgument, "k: expected at least 1");
  if (*request.max_labels < 1) {
    throw Error(Errc::kInvalidArgument, "max_labels: expected at least 1");
  }
  if (!(*request.threshold >= 0 && *request.threshold <= 1)) {
    throw Error(Errc::kInvalidArgument, "threshold: expected a number from 0 to 1");
  }
  return request;
}

Classification Classifier::tag(std::span<const LabelShare> shares,
                               const ClassifyRequest& request) const {
  const Mirror& mirror = snapshot_.mirror();
  Classification result;
  result.revision = mirror.revision;
  for (const auto& [label, share] : shares) {
    if (label == LabelShare::kNoLabel) break;
    const auto& never = settings_.never;
    const bool may =
        std::find(never.begin(), never.end(), mirror.labels.names[label]) == never.end();
    if (!may && !request.scores) continue;
    const bool given =
        may && share >= *request.threshold && std::ssize(result.tags) < *request.max_labels;
    if (!given && !request.scores && result.best) break;
    Tag tag{std::string(mirror.labels.names[label]), share};
    if (may && !result.best) result.best = tag;
    if (request.scores) result.scores.push_back(tag);
    if (given) result.tags.push_back(std::move(tag));
  }
  return result;
}

std::vector<Classification> Classifier::classify(const Queries& queries,
                                                 const ClassifyRequest& request,
                                                 std::span<const std::uint32_t> exclude,
                                                 const RowBits* allowed) const {
  const ClassifyRequest full = with_defaults(request, settings_);
  std::vector<std::uint64_t> bits;
  if (allowed != nullptr) bits = voters(snapshot_.mirror(), *allowed);
  // Without a filter always the same words: the backend may take such calls together.
  const RowBits voting(allowed != nullptr ? bits : snapshot_.mirror().labeled);
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(*full.k),
                                       snapshot_.mirror().docids.size() + 1);
  const Vote vote{k, shares_wanted(snapshot_.mirror(), full, k, settings_.never.size()), &voting,
                  exclude};
  return full.neighbors ? explain(queries, vote, full) : count(queries, vote, full);
}

std::vector<Classification> Classifier::count(const Queries& queries, const Vote& vote,
                                              const ClassifyRequest& request) const {
  std::vector<LabelShare> shares(queries.rows() * vote.labels);
  snapshot_.backend().vote(queries.view(), vote, shares);
  std::vector<Classification> results;
  for (std::size_t q = 0; q < queries.rows(); ++q)
    results.push_back(tag(std::span(shares).subspan(q * vote.labels, vote.labels), request));
  return results;
}

std::vector<Classification> Classifier::explain(const Queries& queries, const Vote& vote,
                                                const ClassifyRequest& request) const {
  const Mirror& mirror = snapshot_.mirror();
  const std::size_t asked = vote.k + (vote.exclude.empty() ? 0 : 1);
  std::vector<Neighbor> found = snapshot_.backend().nearest(queries, asked, vote.allowed);
  const auto labels = [&](std::uint32_t row) { return mirror.labels.of(row); };
  std::vector<Classification> results;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    std::span<Neighbor> neighbors = std::span(found).subspan(q * asked, asked);
    const std::uint32_t excluded = vote.exclude.empty() ? Neighbor::kNoRow : vote.exclude[q];
    neighbors = neighbors.first(leave_out(neighbors, excluded, vote.k));
    results.push_back(tag(label_shares(neighbors, labels), request));
    for (const Neighbor& neighbor : neighbors)
      results.back().neighbors.push_back(make_voter(mirror, neighbor));
  }
  return results;
}

}  // namespace kindred
