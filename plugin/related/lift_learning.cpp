#include "plugin/related/lift_learning.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/queries.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/learning_set.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kSample = 4000;   // documents; 1,000 do nearly as well
constexpr std::size_t kNeighbors = 10;  // 5 and 20 do as well
constexpr std::size_t kRead = 20;       // neighbors, since documents with equal terms do not count
constexpr std::size_t kRounds = 3;      // the first gives most
constexpr double kLeast = 0.05;         // of lift and idf
constexpr double kShareOfIdf = 0.25;    // with 0, movie reviews and web pages lose to lrc
constexpr std::uint64_t kMoreHeld = 2;  // documents that h(t) counts beside those of the sample
constexpr std::uint64_t kMoreShared = 10;    // documents' worth of chance that p(t) counts
constexpr std::size_t kAskedTogether = 256;  // between two calls of the pulse

/// Some of the documents, by a hash of their docids, ascending.
std::vector<std::uint32_t> sample_of(const SegmentList& mirror) {
  std::vector<std::uint32_t> docids = mirror.numbers();
  if (docids.size() <= kSample) return docids;

  std::ranges::nth_element(docids, docids.begin() + kSample, {}, LearningSet::hash_of);
  docids.resize(kSample);
  std::ranges::sort(docids);
  return docids;
}

/// What is counted of each term of a mirror.
struct TermCounts {
  std::vector<std::uint32_t> held;    ///< h(t)
  std::vector<std::uint32_t> shared;  ///< p(t)
};

bool are_equal(const RowEntries& a, const RowEntries& b) {
  return std::ranges::equal(a.columns, b.columns) && std::ranges::equal(a.counts, b.counts);
}

/// Counts the terms that a document shares with its nearest, which lie in the order of their
/// similarity.
void count_shared(const SegmentList& mirror, std::uint32_t docid, std::span<const Neighbor> nearest,
                  TermCounts& counts) {
  const RowEntries own = mirror.terms_of(docid);
  for (const std::uint32_t term : own.columns) ++counts.held[term];

  std::size_t found = 0;
  for (const Neighbor& neighbor : nearest) {
    if (neighbor.number == kNoDocument || found == kNeighbors) break;
    const RowEntries other = mirror[mirror.place_of_neighbor(neighbor.number)];
    if (are_equal(own, other)) continue;
    ++found;

    // Terms of both ascend, so one pass finds what they share.
    auto at = other.columns.begin();
    for (const std::uint32_t term : own.columns) {
      at = std::lower_bound(at, other.columns.end(), term);
      if (at != other.columns.end() && *at == term) ++counts.shared[term];
    }
  }
}

/// Of a sample, with the neighbors by these term weights.
TermCounts count_terms(const Snapshot& snapshot, std::span<const std::uint32_t> sample,
                       std::shared_ptr<const TermWeighting> weighting,
                       const std::function<void(std::uint64_t asked)>& on_asked) {
  const Mirror& mirror = snapshot.mirror();
  const View view = reweighted(snapshot.backend(), mirror, std::move(weighting));
  const std::size_t terms = mirror.dictionary.size();
  TermCounts counts{std::vector<std::uint32_t>(terms), std::vector<std::uint32_t>(terms)};

  std::vector<Neighbor> nearest;
  for (std::size_t begin = 0; begin < sample.size(); begin += kAskedTogether) {
    on_asked(begin);
    const auto asked = sample.subspan(begin, std::min(kAskedTogether, sample.size() - begin));
    Queries queries;
    for (const std::uint32_t docid : asked)
      snapshot.weigh_document(docid, *view.weighting, queries);

    nearest.resize(asked.size() * kRead);
    view.backend->nearest(queries.view(), kRead, nullptr, nearest);
    for (std::size_t i = 0; i < asked.size(); ++i)
      count_shared(*mirror.list, asked[i], std::span(nearest).subspan(i * kRead, kRead), counts);
  }
  return counts;
}

/// What a term weighs that `df` of `documents` hold.
double lift_weight(std::uint64_t held, std::uint64_t shared, std::uint64_t df,
                   std::uint64_t documents) {
  const std::uint64_t more = kMoreShared * kNeighbors * df;
  const auto seen = static_cast<double>(shared * documents + more);
  const auto by_chance = static_cast<double>(kNeighbors * df * (held + kMoreHeld));
  const double lift = std::max(kLeast, std::log(seen / by_chance));
  const double rarity = static_cast<double>(documents) / static_cast<double>(df);
  const double idf = std::max(kLeast, std::log(rarity));
  return std::sqrt(std::pow(lift, 1 - kShareOfIdf) * std::pow(idf, kShareOfIdf));
}

/// The weights of the terms that the sample has. All others are rare, and weigh what the rarest one
/// does that the sample does not have.
std::shared_ptr<const FrozenWeights> frozen(const Mirror& mirror, const TermCounts& counts,
                                            const std::vector<double>& weights) {
  std::vector<std::uint32_t> known;
  for (std::uint32_t term = 0; term < weights.size(); ++term)
    if (counts.held[term] > 0) known.push_back(term);
  std::ranges::sort(known, {}, [&](std::uint32_t term) {
    return mirror.dictionary[term];
  });

  StringTable terms;
  std::vector<double> of_terms;
  for (const std::uint32_t term : known) {
    terms.push_back(mirror.dictionary[term]);
    of_terms.push_back(weights[term]);
  }
  return std::make_shared<const FrozenWeights>(std::move(terms), of_terms,
                                               lift_weight(0, 0, 1, mirror.documents()));
}

}  // namespace

NeighborLift learn_lift(const Snapshot& snapshot, const std::string& smart,
                        const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::vector<std::uint32_t> sample = sample_of(*mirror.list);
  TermWeighting weighting = weighting_tables(mirror, "lrc");

  // The better the weights, the better the neighbors, from which the next weights are learned.
  TermCounts counts;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto on_asked = [&](std::uint64_t asked) {
      if (on_tuning)
        on_tuning("words that neighbors share", round * sample.size() + asked,
                  kRounds * sample.size());
    };
    counts =
        count_terms(snapshot, sample, std::make_shared<const TermWeighting>(weighting), on_asked);
    for (std::size_t term = 0; term < weighting.idf.size(); ++term) {
      const std::uint64_t df = std::max<std::uint64_t>(mirror.df[term], 1);
      weighting.idf[term] =
          lift_weight(counts.held[term], counts.shared[term], df, mirror.documents());
    }
  }

  NeighborLift lift;
  lift.uuid = mirror.uuid;
  lift.revision = mirror.revision;
  lift.documents = mirror.documents();
  lift.smart = smart;
  lift.prefixes = mirror.prefixes;
  lift.weights = frozen(mirror, counts, weighting.idf);
  return lift;
}

}  // namespace kindred
