#include "plugin/tune/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <unordered_set>
#include <utility>

#include "plugin/evaluate/shuffle.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {
namespace {

constexpr std::size_t kMostSimilar = 64;
constexpr double kNearDuplicate = 0.6;
constexpr double kSameSource = 0.3;         // of documents that came soon after each other
constexpr std::int64_t kSoon = 32;          // docids
constexpr double kLeastOverlap = 0.6;       // of labels, where docids follow time and not subjects
constexpr double kEarlier = 0.5;            // the ages of those that come first
constexpr double kTimesAlike = 2;           // as documents of a label at random
constexpr std::uint32_t kSamples = 8;       // of every second voter, whose mean is taken
constexpr double kLeastGain = 0.01;         // nats: the cost of saying 0.94 where 0.9 is true
constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

/// `alike`: how similar two documents of a label are at random.
bool is_leak(Xapian::docid docid, const Neighbor& neighbor, double alike) {
  const bool soon = std::abs(std::int64_t{docid} - std::int64_t{neighbor.number}) <= kSoon;
  return neighbor.similarity >= std::max(soon ? kSameSource : kNearDuplicate, kTimesAlike * alike);
}

/// The cosine of two documents by the snapshot's own weighting.
double similarity(const Snapshot& snapshot, Xapian::docid one, Xapian::docid other) {
  Queries both;
  for (const Xapian::docid docid : {one, other})
    snapshot.weigh_document(docid, snapshot.weighting(), both);
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < both.terms(0).size() && j < both.terms(1).size();) {
    const std::uint32_t a = both.terms(0)[i], b = both.terms(1)[j];
    if (a == b) sum += both.weights(0)[i] * both.weights(1)[j];
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
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
  for (Part& part : parts)
    if (shared) part.teaching = parts.front().teaching;
}

/// How much of the labels of some documents and of others is the same, from 0 to 1.
double overlap(const Mirror& mirror, std::span<const Xapian::docid> first,
               std::span<const Xapian::docid> second) {
  const auto shares_of = [&](std::span<const Xapian::docid> docids) {
    std::vector<double> shares(mirror.labels.names.size(), 0);
    for (const Xapian::docid docid : docids) {
      const auto own = mirror.labels_of(docid);
      for (const std::uint32_t label : own)
        shares[label] += 1 / static_cast<double>(own.size() * docids.size());
    }
    return shares;
  };
  const std::vector<double> a = shares_of(first), b = shares_of(second);
  double common = 0;
  for (std::size_t label = 0; label < a.size(); ++label) common += std::min(a[label], b[label]);
  return common;
}

/// True for every second place, others in each sample.
bool is_drawn(std::uint32_t place, std::uint32_t sample) {
  const std::uint32_t mixed = place * 2654435761U;  // Knuth's multiplicative hash
  return ((mixed >> (20 + sample / 2)) & 1U) == sample % 2;
}

/// The log loss of each document.
std::vector<double> losses_of(const Combiner& combiner, std::span<const float> features,
                              const TrueLabels& truth, std::size_t threads) {
  const std::vector<float> scores = combined_scores({&combiner, 1}, features, truth, threads);
  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    for (std::size_t label = 0; label < truth.labels; ++label) {
      const bool is_true = truth.has(d, label);
      if (!is_true && combiner.single_label) continue;
      const double p = scores[d * truth.labels + label];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }
  }
  return losses;
}

}  // namespace

std::vector<Xapian::docid> drawn(std::vector<Xapian::docid> docids, std::size_t most,
                                 std::uint64_t seed) {
  if (docids.size() <= most) return docids;
  shuffle(docids, seed);
  docids.resize(most);
  std::sort(docids.begin(), docids.end());
  return docids;
}

double label_likeness(const Snapshot& snapshot, const DocumentSet& voters, std::size_t sample,
                      std::uint64_t seed) {
  std::vector<std::vector<Xapian::docid>> of_labels(snapshot.mirror().labels.names.size());
  for (const Xapian::docid docid : voters.numbers())
    for (const std::uint32_t label : snapshot.mirror().labels_of(docid))
      of_labels[label].push_back(docid);
  std::mt19937_64 random(seed);
  double sum = 0, count = 0;
  for (const Xapian::docid docid : drawn(voters.numbers(), sample, seed)) {
    const auto& own = of_labels[snapshot.mirror().labels_of(docid).front()];
    const Xapian::docid other = own[random() % own.size()];
    if (other == docid) continue;
    sum += similarity(snapshot, docid, other);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::vector<Part> split_voters(const DocumentSet& voters, std::size_t folds, std::size_t sample,
                               std::uint64_t seed) {
  std::vector<Xapian::docid> docids = voters.numbers();
  shuffle(docids, seed);
  const bool few = sample * 2 <= docids.size();
  std::vector<Part> parts(folds, Part{{}, voters, voters});
  for (std::size_t i = 0; i < docids.size(); ++i) {
    Part& part = parts[i % folds];
    if (i < sample) part.docids.push_back(docids[i]);
    if (!few) part.teaching.erase(docids[i]);
  }
  for (Part& part : parts) {
    std::sort(part.docids.begin(), part.docids.end());
    for (std::size_t i = 0; few && i < sample; ++i) part.teaching.erase(docids[i]);
  }
  return parts;
}

void draw_counterparts(const DocumentSet& voters, std::size_t labels, std::span<Part> parts) {
  for (Part& part : parts) {
    part.counterparts.assign(labels, kNoDocument);
    std::vector<std::uint64_t> hashes(labels);
    std::vector<std::uint8_t> lacks_one(labels, 0);
    for (const Xapian::docid docid : voters.numbers()) {
      const bool votes = part.voting.has(docid);
      const std::uint64_t hash = LearningSet::hash_of(docid);
      for (const std::uint32_t label : voters.mirror().labels_of(docid)) {
        if (!votes) lacks_one[label] = 1;
        Xapian::docid& drawn = part.counterparts[label];
        if (!votes || (drawn != kNoDocument && hashes[label] <= hash)) continue;
        drawn = docid;
        hashes[label] = hash;
      }
    }
    for (std::size_t label = 0; label < labels; ++label)
      if (lacks_one[label] != 0) part.counterparts[label] = kNoDocument;
  }
}

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

void MeanOfDocuments::add(double of_document) {
  ++documents_;
  sum_ += of_document;
  squares_ += of_document * of_document;
}

double MeanOfDocuments::standard_error() const {
  return std::sqrt(std::max(squares_ / documents_ - mean() * mean(), 0.0) / documents_);
}

double MeanOfDocuments::clear() const {
  return documents_ >= 2 && mean() > 2 * standard_error() ? mean() : 0;
}

bool MeanOfDocuments::is_clearly_above(const MeanOfDocuments& other) const {
  return documents_ >= 2 && other.documents_ >= 2 &&
         mean() - other.mean() > 2 * std::hypot(standard_error(), other.standard_error());
}

double MeanOfDocuments::shrunk() const {
  if (documents_ < 2 || mean() <= standard_error()) return 0;
  return mean() - standard_error() * standard_error() / mean();
}

DriftMeasure::DriftMeasure(const Mirror& mirror, const DocumentSet& voters)
    : mirror_(mirror), age_(mirror.list->places(), 0), votes_(mirror.labels.names.size(), 0) {
  std::vector<double> count(votes_.size(), 0), before(votes_.size(), 0);
  const std::vector<Xapian::docid> docids = voters.numbers();
  for (const Xapian::docid docid : docids)
    for (const std::uint32_t label : mirror.labels_of(docid)) ++count[label];
  for (const Xapian::docid docid : docids) {
    const auto own = mirror.labels_of(docid);
    double& age = age_[mirror.list->place_of(docid)];
    for (const std::uint32_t label : own) age += before[label]++ / count[label];
    age /= static_cast<double>(own.size());
  }
}

void DriftMeasure::add(Xapian::docid docid, std::span<const Neighbor> nearest) {
  const SegmentList& mirror = *mirror_.list;
  if (age_[mirror.place_of(docid)] < kEarlier) return;
  const auto is_right = [&](auto&& may_vote) {
    std::uint32_t best = 0;
    for (const Neighbor& neighbor : nearest) {
      const std::uint32_t place = mirror.place_of_neighbor(neighbor.number);
      if (!may_vote(place)) continue;
      for (const std::uint32_t label : mirror.labels_at(place)) {
        votes_[label] += neighbor.similarity;
        if (votes_[label] > votes_[best]) best = label;
      }
    }
    const bool voted = votes_[best] > 0;
    std::ranges::fill(votes_, 0);
    return voted && std::ranges::binary_search(mirror_.labels_of(docid), best);
  };
  double loss = is_right([&](std::uint32_t other) { return age_[other] < kEarlier; }) ? -1 : 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample)
    if (is_right([&](std::uint32_t other) { return is_drawn(other, sample); }))
      loss += 1.0 / kSamples;
  loss_.add(loss);
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
    const auto is_other = [&](const Neighbor& near) {
      return near.number != kNoDocument && near.number != docid;
    };
    const auto foreign = std::ranges::find_if(nearest, [&](const Neighbor& near) {
      return is_other(near) && !share_label(snapshot.mirror(), docid, near.number);
    });
    const double stranger = foreign != nearest.end() ? foreign->similarity : 0;

    bool is_repeated = false;
    others.clear();
    for (const Neighbor& near : nearest) {
      if (!is_other(near)) continue;
      const bool leaks = is_leak(docid, near, alike);
      if (leaks || near.similarity >= kTimesAlike * std::max(alike, stranger))
        relatives.siblings[docid].push_back(near.number);
      if (leaks) {
        relatives.leaks[docid].push_back(near.number);
        is_repeated |= near.number < docid && near.similarity >= kNearDuplicate;
      } else {
        others.push_back(near);
      }
    }
    repeated += is_repeated ? 1 : 0;
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

DocumentSet half_of(const DocumentSet& voters, const Companions& siblings) {
  const auto label_of = [&](Xapian::docid docid) {
    return voters.mirror().labels_of(docid).front();
  };
  struct Halves {
    std::size_t documents = 0, stay = 0, leave = 0;
  };
  std::unordered_map<std::uint32_t, Halves> of_label;
  const std::vector<Xapian::docid> docids = voters.numbers();
  for (const Xapian::docid docid : docids) ++of_label[label_of(docid)].documents;

  DocumentSet half = voters;
  std::unordered_set<Xapian::docid> left(docids.begin(), docids.end());
  for (const Xapian::docid first : docids) {
    const Halves& own = of_label[label_of(first)];
    const bool stays = own.stay <= own.leave;
    const std::size_t& dealt = stays ? own.stay : own.leave;
    std::vector<Xapian::docid> source = {first};  // and its siblings, and theirs
    for (std::size_t i = 0; i < source.size() && 2 * dealt <= own.documents; ++i) {
      if (left.erase(source[i]) == 0) continue;
      Halves& halves = of_label[label_of(source[i])];
      ++(stays ? halves.stay : halves.leave);
      if (!stays) half.erase(source[i]);
      const auto known = siblings.find(source[i]);
      if (known != siblings.end())
        source.insert(source.end(), known->second.begin(), known->second.end());
    }
  }
  return half;
}

bool share_teaching(std::span<const Part> parts) {
  return parts.front().teaching == parts.back().teaching;
}

std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    std::span<const float> features, std::size_t threads) {
  const std::size_t half = truth.documents / 2;
  const std::vector<double> before = losses_of(known, features, truth, threads);
  const std::vector<double> after =
      losses_of(recalibrated(known, truth, half, features, threads), features, truth, threads);
  MeanOfDocuments gain;
  for (std::size_t d = half; d < truth.documents; ++d) gain.add(before[d] - after[d]);
  if (gain.clear() < kLeastGain) return {};
  return recalibrated(known, truth, truth.documents, features, threads);
}

}  // namespace kindred
