#include "plugin/related/lift_learning.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/queries.h"
#include "gpu/ratio.h"
#include "gpu/scoring.h"
#include "gpu/shared_terms.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/learning_set.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kSample = 4000;   // documents; 1,000 do nearly as well
constexpr std::size_t kJudged = 1000;   // of these, when lift is compared with idf
constexpr std::size_t kNeighbors = 10;  // 5 and 20 do as well
constexpr std::size_t kRead = 20;       // neighbors, since documents with equal terms do not count
constexpr std::size_t kRounds = 3;      // the first gives most
constexpr double kClearly = 3;          // standard errors
constexpr double kLeast = 0.05;         // of lift and idf
constexpr double kShareOfIdf = 0.25;    // with 0, web pages and mail lose to lrc
constexpr std::uint64_t kMoreHeld = 2;  // documents that h(t) counts beside those of the sample
constexpr std::uint64_t kMoreShared = 10;    // documents' worth of chance that p(t) counts
constexpr std::size_t kAskedTogether = 256;  // between two calls of the pulse

using Docids = std::span<const std::uint32_t>;

/// Up to so many of the documents, those with the smallest hashes of their docids, ascending.
std::vector<std::uint32_t> sample_of(const SegmentList& mirror, std::size_t most) {
  std::vector<std::uint32_t> docids = mirror.numbers();
  if (docids.size() <= most) return docids;

  std::ranges::nth_element(docids, docids.begin() + most, {}, LearningSet::hash_of);
  docids.resize(most);
  std::ranges::sort(docids);
  return docids;
}

bool are_equal(const RowEntries& a, const RowEntries& b) {
  return std::ranges::equal(a.columns, b.columns) && std::ranges::equal(a.counts, b.counts);
}

/// A document, and its nearest that have other terms or counts.
using OnNearest = std::function<void(const RowEntries& own, std::span<const RowEntries> nearest)>;

/// The nearest of one document after the other.
class NearestOf {
 public:
  /// Borrows the snapshot. `on_asked` is called before so many more documents are asked about.
  NearestOf(const Snapshot& snapshot, std::function<void(std::size_t more)> on_asked)
      : snapshot_(snapshot), on_asked_(std::move(on_asked)) {}

  /// Calls `on_nearest` for each of the documents, in their order.
  void find(Docids docids, const TermWeighting& weighting, const OnNearest& on_nearest) const {
    const View view = reweighted(snapshot_.backend(), snapshot_.mirror(),
                                 std::make_shared<const TermWeighting>(weighting));
    std::vector<Neighbor> found;
    for (std::size_t begin = 0; begin < docids.size(); begin += kAskedTogether) {
      const Docids asked = docids.subspan(begin, std::min(kAskedTogether, docids.size() - begin));
      on_asked_(asked.size());
      Queries queries;
      for (const std::uint32_t docid : asked)
        snapshot_.weigh_document(docid, *view.weighting, queries);

      found.resize(asked.size() * kRead);
      view.backend->nearest(queries.view(), kRead, nullptr, found);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const RowEntries own = snapshot_.mirror().list->terms_of(asked[i]);
        on_nearest(own, others_than(own, std::span(found).subspan(i * kRead, kRead)));
      }
    }
  }

 private:
  std::vector<RowEntries> others_than(const RowEntries& own,
                                      std::span<const Neighbor> found) const {
    const SegmentList& mirror = *snapshot_.mirror().list;
    std::vector<RowEntries> others;
    for (const Neighbor& neighbor : found) {
      if (neighbor.number == kNoDocument || others.size() == kNeighbors) break;
      const RowEntries other = mirror[mirror.place_of_neighbor(neighbor.number)];
      if (!are_equal(own, other)) others.push_back(other);
    }
    return others;
  }

  const Snapshot& snapshot_;
  const std::function<void(std::size_t more)> on_asked_;
};

/// What is counted of each term of a mirror.
struct TermCounts {
  std::vector<std::uint32_t> held;    ///< h(t)
  std::vector<std::uint32_t> shared;  ///< p(t)
};

/// Counts the terms that a document shares with another one.
void count_shared(const RowEntries& own, const RowEntries& other, TermCounts& counts) {
  for_each_shared_term(own.columns, other.columns, [&](std::size_t i, std::size_t) {
    ++counts.shared[own.columns[i]];
  });
}

/// Of a sample, with the neighbors by these term weights.
TermCounts count_terms(const Mirror& mirror, Docids sample, const TermWeighting& weighting,
                       const NearestOf& nearest_of) {
  const std::size_t terms = mirror.dictionary.size();
  TermCounts counts{std::vector<std::uint32_t>(terms), std::vector<std::uint32_t>(terms)};
  nearest_of.find(sample, weighting,
                  [&](const RowEntries& own, std::span<const RowEntries> nearest) {
                    for (const std::uint32_t term : own.columns) ++counts.held[term];
                    for (const RowEntries& other : nearest) count_shared(own, other, counts);
                  });
  return counts;
}

/// The same weights for one half of the terms, by a hash of their bytes, and none for the others.
TermWeighting half_of(const Mirror& mirror, const TermWeighting& weighting, std::uint64_t half) {
  TermWeighting kept = weighting;
  for (std::uint32_t term = 0; term < kept.idf.size(); ++term) {
    const std::string_view bytes = mirror.dictionary[term];
    if (XXH3_64bits(bytes.data(), bytes.size()) % 2 != half) kept.idf[term] = 0;
  }
  return kept;
}

/// The cosine of two documents; 0 if one of them has no term that weighs anything.
double cosine(const RowEntries& one, const RowEntries& other, const TermWeighting& weighting) {
  const auto weight = [&](const RowEntries& row, std::size_t i) {
    return weighting.tf[row.counts[i]] * weighting.idf[row.columns[i]];
  };
  const auto length = [&](const RowEntries& row) {
    return euclidean_length(row.size(), [&](std::size_t i) {
      return weight(row, i);
    });
  };

  double sum = 0;
  for_each_shared_term(one.columns, other.columns, [&](std::size_t i, std::size_t j) {
    sum += weight(one, i) * weight(other, j);
  });
  return ratio_or_zero(sum, length(one) * length(other));
}

/// The mean cosine of a document to others; 0 if there are none.
double likeness(const RowEntries& one, std::span<const RowEntries> others,
                const TermWeighting& weighting) {
  double sum = 0;
  for (const RowEntries& other : others) sum += cosine(one, other, weighting);
  return ratio_or_zero(sum, static_cast<double>(others.size()));
}

/// Whether the nearest by idf are more alike than those by lift. What is found by one half of the
/// terms is judged by the other half, so neither is judged by what it looked at.
bool is_idf_better(const Mirror& mirror, const TermWeighting& lift, const TermWeighting& idf,
                   const NearestOf& nearest_of) {
  const std::vector<std::uint32_t> judged = sample_of(*mirror.list, kJudged);
  std::vector<double> gains(judged.size());  // of each document, by idf
  for (const std::uint64_t half : {0U, 1U}) {
    const TermWeighting judging = half_of(mirror, idf, 1 - half);
    const auto count = [&](const TermWeighting& weighting, double sign) {
      std::size_t place = 0;
      nearest_of.find(judged, half_of(mirror, weighting, half),
                      [&](const RowEntries& own, std::span<const RowEntries> nearest) {
                        gains[place] += sign * likeness(own, nearest, judging);
                        ++place;
                      });
    };
    count(idf, 1);
    count(lift, -1);
  }

  // By more than chance explains: three standard errors of the mean.
  double sum = 0;
  double squares = 0;
  for (const double gain : gains) {
    sum += gain;
    squares += gain * gain;
  }
  const auto documents = static_cast<double>(gains.size());
  const double mean = sum / documents;
  const double variance = std::max(squares / documents - mean * mean, 0.0);
  return mean > kClearly * std::sqrt(variance / documents);
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

/// The weights of the terms that the sample has. All others are rare, and weigh `of_others`.
std::shared_ptr<const FrozenWeights> frozen(const Mirror& mirror, const TermCounts& counts,
                                            const std::vector<double>& weights, double of_others) {
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
  return std::make_shared<const FrozenWeights>(std::move(terms), of_terms, of_others);
}

}  // namespace

NeighborLift learn_lift(const Snapshot& snapshot, const std::string& smart,
                        const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::vector<std::uint32_t> sample = sample_of(*mirror.list, kSample);

  // By both weightings, each by both halves of the terms.
  const std::uint64_t judged = 2 * 2 * std::min(sample.size(), kJudged);
  const std::uint64_t all = kRounds * sample.size() + judged;
  std::uint64_t asked = 0;
  const NearestOf nearest_of(snapshot, [&](std::size_t more) {
    if (on_tuning) on_tuning("words that neighbors share", asked, all);
    asked += more;
  });

  // The better the weights, the better the neighbors, from which the next weights are learned.
  const TermWeighting by_idf = weighting_tables(mirror, "lrc");
  TermWeighting by_lift = by_idf;
  TermCounts counts;
  for (std::size_t round = 0; round < kRounds; ++round) {
    counts = count_terms(mirror, sample, by_lift, nearest_of);
    for (std::size_t term = 0; term < by_lift.idf.size(); ++term) {
      const std::uint64_t df = std::max<std::uint64_t>(mirror.df[term], 1);
      by_lift.idf[term] =
          lift_weight(counts.held[term], counts.shared[term], df, mirror.documents());
    }
  }

  NeighborLift lift;
  lift.uuid = mirror.uuid;
  lift.revision = mirror.revision;
  lift.documents = mirror.documents();
  lift.smart = smart;
  lift.prefixes = mirror.prefixes;

  // A term that the sample does not have weighs as one of a single document.
  const std::uint64_t documents = mirror.documents();
  lift.by_idf = is_idf_better(mirror, by_lift, by_idf, nearest_of);
  if (lift.by_idf) {
    const double rarest = std::sqrt(std::log(static_cast<double>(documents)));
    lift.weights = frozen(mirror, counts, by_idf.idf, rarest);
  } else {
    lift.weights = frozen(mirror, counts, by_lift.idf, lift_weight(0, 0, 1, documents));
  }
  return lift;
}

}  // namespace kindred
