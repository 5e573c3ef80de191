#include "plugin/tune/forward_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugin/tune/mean_of_documents.h"

namespace kindred {
namespace {

constexpr double kLeastOverlap = 0.6;       // of labels, where docids follow time and not subjects
constexpr double kLeastGain = 0.01;         // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

/// How much of the labels of some documents and of others is the same, from 0 to 1.
double overlap(const Mirror& mirror, std::span<const Xapian::docid> first,
               std::span<const Xapian::docid> second) {
  // The share of each label, where a document counts once for all its labels.
  const auto shares_of = [&](std::span<const Xapian::docid> docids) {
    std::vector<double> shares(mirror.labels.names.size(), 0);
    for (const Xapian::docid docid : docids) {
      const auto own = mirror.labels_of(docid);
      for (const std::uint32_t label : own)
        shares[label] += 1 / static_cast<double>(own.size() * docids.size());
    }
    return shares;
  };

  const std::vector<double> a = shares_of(first);
  const std::vector<double> b = shares_of(second);
  double common = 0;
  for (std::size_t label = 0; label < a.size(); ++label) common += std::min(a[label], b[label]);
  return common;
}

/// The log loss of each document.
std::vector<double> losses_of(const Combiner& combiner, const Shortlists& lists,
                              const TrueLabels& truth, std::size_t threads) {
  const std::vector<float> scores = combined_scores({&combiner, 1}, lists, truth, threads);

  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const auto labels = lists.labels_of(d);
    const auto own = lists.of(d, std::span(scores));
    std::size_t listed = 0;  // true ones
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool is_true = truth.has(d, labels[i]);
      if (is_true) ++listed;
      if (!is_true && combiner.single_label) continue;

      const double p = own[i];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }

    // Labels that are not listed have no probability.
    losses[d] -= static_cast<double>(truth.of(d).size() - listed) * std::log(kLeastProbability);
  }
  return losses;
}

}  // namespace

Part latest(const Mirror& mirror, const DocumentSet& voters, std::size_t most, std::uint64_t seed) {
  const std::vector<Xapian::docid> all = voters.numbers();
  const auto tenth = std::span(all).last(all.size() / 10);

  Part part{{}, voters, {}, true};
  if (overlap(mirror, all, tenth) >= kLeastOverlap)
    part.docids = drawn({tenth.begin(), tenth.end()}, most, seed);

  for (const Xapian::docid docid : tenth) part.voting.erase(docid);
  part.teaching = part.voting;
  return part;
}

std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    const Shortlists& lists, std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const std::vector<double> before = losses_of(known, lists, truth, threads);
  const std::vector<double> after =
      losses_of(recalibrated(known, truth, half, lists, threads), lists, truth, threads);

  // By the half that it was not fitted to.
  MeanOfDocuments gain;
  for (std::size_t d = half; d < truth.documents; ++d) gain.add(before[d] - after[d]);
  if (gain.clear() < kLeastGain) return {};

  return recalibrated(known, truth, truth.documents, lists, threads);
}

}  // namespace kindred
