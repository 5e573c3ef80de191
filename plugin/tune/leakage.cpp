#include "plugin/tune/leakage.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "gpu/ratio.h"
#include "gpu/shared_terms.h"
#include "plugin/tune/weighed.h"

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr double kNearDuplicate = 0.6;
constexpr double kSameSource = 0.3;  // of documents that came soon after each other
constexpr std::int64_t kSoon = 32;   // docids
constexpr double kTimesAlike = 2;    // as documents of a label at random

/// `alike`: how similar two documents of a label are at random.
bool is_leak(Xapian::docid docid, const Neighbor& neighbor, double alike) {
  const bool soon = std::abs(std::int64_t{docid} - std::int64_t{neighbor.number}) <= kSoon;
  const double least = soon ? kSameSource : kNearDuplicate;
  return neighbor.similarity >= std::max(least, kTimesAlike * alike);
}

/// The cosine of two documents by the snapshot's own weighting.
double similarity(const Snapshot& snapshot, Xapian::docid one, Xapian::docid other) {
  Queries both;
  for (const Xapian::docid docid : {one, other})
    snapshot.weigh_document(docid, snapshot.weighting(), both);

  double sum = 0;
  for_each_shared_term(both.terms(0), both.terms(1), [&](std::size_t i, std::size_t j) {
    sum += both.weights(0)[i] * both.weights(1)[j];
  });
  return sum;
}

/// True if two documents have a label in common.
bool share_label(const Mirror& mirror, Xapian::docid one, Xapian::docid other) {
  const auto own = mirror.labels_of(one);
  return std::ranges::any_of(mirror.labels_of(other), [&](std::uint32_t label) {
    return std::ranges::binary_search(own, label);
  });
}

void keep_apart(std::span<const Xapian::docid> docids, Part& part) {
  for (const Xapian::docid docid : docids) {
    part.voting.erase(docid);
    part.teaching.erase(docid);
  }
}

/// Calls keep(part) for each part. Parts that the same documents teach stay so.
template <typename Keep>
void keep_apart_from(std::span<Part> parts, Keep&& keep) {
  const bool shared = share_teaching(parts);
  for (Part& part : parts) {
    keep(part);
    if (shared) parts.front().teaching &= part.teaching;
  }

  // All that one of them lacks is missing in the first one's by now.
  if (!shared) return;
  for (Part& part : parts) part.teaching = parts.front().teaching;
}

}  // namespace

double label_likeness(const Snapshot& snapshot, const DocumentSet& voters, std::size_t sample,
                      std::uint64_t seed) {
  std::vector<std::vector<Xapian::docid>> of_labels(snapshot.mirror().labels.names.size());
  for (const Xapian::docid docid : voters.numbers())
    for (const std::uint32_t label : snapshot.mirror().labels_of(docid))
      of_labels[label].push_back(docid);

  // Documents that are drawn, each with another one of its first label.
  std::mt19937_64 random(seed);
  double sum = 0;
  double count = 0;
  for (const Xapian::docid docid : drawn(voters.numbers(), sample, seed)) {
    const auto& own = of_labels[snapshot.mirror().labels_of(docid).front()];
    const Xapian::docid other = own[random() % own.size()];
    if (other == docid) continue;

    sum += similarity(snapshot, docid, other);
    ++count;
  }
  return ratio_or_zero(sum, count);
}

Relatives relatives_of(const Snapshot& snapshot, const DocumentSet& voters,
                       std::span<const Xapian::docid> docids, double alike, DriftMeasure& drift) {
  const Queries queries =
      weighed(docids, snapshot.voting().threads(), [&](Xapian::docid docid, Queries& some) {
        snapshot.weigh_document(docid, snapshot.weighting(), some);
      });
  const std::vector<Neighbor> found = snapshot.backend().nearest(queries, kMostSimilar, &voters);

  Relatives relatives;
  std::size_t repeated = 0;
  std::vector<Neighbor> others;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const Xapian::docid docid = docids[i];
    const auto nearest = std::span(found).subspan(i * kMostSimilar, kMostSimilar);

    // How similar the nearest document is that has none of its labels.
    const auto is_other = [&](const Neighbor& near) {
      return near.number != kNoDocument && near.number != docid;
    };
    const auto foreign = std::ranges::find_if(nearest, [&](const Neighbor& near) {
      return is_other(near) && !share_label(snapshot.mirror(), docid, near.number);
    });
    double stranger = 0;
    if (foreign != nearest.end()) stranger = foreign->similarity;

    bool is_repeated = false;
    others.clear();
    for (const Neighbor& near : nearest) {
      if (!is_other(near)) continue;
      const bool leaks = is_leak(docid, near, alike);
      if (leaks || near.similarity >= kTimesAlike * std::max(alike, stranger))
        relatives.siblings[docid].push_back(near.number);

      if (leaks) {
        relatives.leaks[docid].push_back(near.number);
        if (near.number < docid && near.similarity >= kNearDuplicate) is_repeated = true;
      } else {
        others.push_back(near);
      }
    }
    if (is_repeated) ++repeated;
    drift.add(docid, others);
  }

  if (repeated > 0 && repeated * 2 >= docids.size()) return {};
  return relatives;
}

void keep_apart(const Companions& companions, std::span<Part> parts) {
  keep_apart_from(parts, [&](Part& part) {
    for (const Xapian::docid docid : part.docids) {
      const auto own = companions.find(docid);
      if (own != companions.end()) keep_apart(own->second, part);
    }
  });
}

void keep_apart(Groups groups, std::span<Part> parts) {
  keep_apart_from(parts, [&](Part& part) {
    for (const std::vector<Xapian::docid>& group : groups) {
      const bool is_classified = std::ranges::any_of(group, [&](Xapian::docid docid) {
        return std::ranges::binary_search(part.docids, docid);
      });
      if (is_classified) keep_apart(group, part);
    }
  });
}

}  // namespace kindred
