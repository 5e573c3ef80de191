#include "plugin/tune/forward_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugin/tune/mean_of_documents.h"

namespace kindred {
namespace {

constexpr std::size_t kFewest = 100;        // fewer tell little
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

/// The log loss of each document. `combiners`: as combined_scores() takes them.
std::vector<double> losses_of(std::span<const Combiner> combiners, const Shortlists& lists,
                              const TrueLabels& truth, std::size_t threads) {
  const bool single_label = combiners.front().single_label;
  const std::vector<float> scores = combined_scores(combiners, lists, truth, threads);

  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const auto labels = lists.labels_of(d);
    const auto own = lists.of(d, std::span(scores));
    std::size_t listed = 0;  // true ones
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool is_true = truth.has(d, labels[i]);
      if (is_true) ++listed;
      if (!is_true && single_label) continue;

      const double p = own[i];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }

    // Labels that are not listed have no probability.
    losses[d] -= static_cast<double>(truth.of(d).size() - listed) * std::log(kLeastProbability);
  }
  return losses;
}

}  // namespace

std::vector<Part> latest(const Mirror& mirror, const DocumentSet& voters, std::size_t folds,
                         std::size_t most, std::uint64_t seed) {
  const std::vector<Xapian::docid> all = voters.numbers();
  const auto tenth = std::span(all).last(all.size() / 10);
  std::vector<Xapian::docid> docids = drawn({tenth.begin(), tenth.end()}, most, seed);
  if (docids.size() < kFewest || overlap(mirror, all, tenth) < kLeastOverlap) return {};

  DocumentSet earlier = voters;
  for (const Xapian::docid docid : tenth) earlier.erase(docid);

  // Dealt out by turns.
  std::vector<Part> parts(folds, Part{{}, earlier, earlier, true});
  for (std::size_t i = 0; i < docids.size(); ++i) parts[i % folds].docids.push_back(docids[i]);
  return parts;
}

std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    const Shortlists& lists, std::size_t threads) {
  const FittedCombiner fitted = fit_further(known, truth, lists, threads);
  const std::vector<double> before = losses_of({&known, 1}, lists, truth, threads);
  const std::vector<double> after = losses_of(fitted.without_fold, lists, truth, threads);

  MeanOfDocuments gain;
  for (std::size_t d = 0; d < truth.documents; ++d) gain.add(before[d] - after[d]);
  if (gain.clear() < kLeastGain) return {};
  return fitted.combiner;
}

}  // namespace kindred
