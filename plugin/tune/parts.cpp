#include "plugin/tune/parts.h"

#include <algorithm>

#include "gpu/knn/backend.h"
#include "plugin/evaluate/shuffle.h"
#include "plugin/votes/classes/learning_set.h"

namespace kindred {

std::vector<Xapian::docid> drawn(std::vector<Xapian::docid> docids, std::size_t most,
                                 std::uint64_t seed) {
  if (docids.size() <= most) return docids;
  shuffle(docids, seed);
  docids.resize(most);
  std::sort(docids.begin(), docids.end());
  return docids;
}

std::vector<Part> split_voters(const DocumentSet& voters, std::size_t folds, std::size_t sample,
                               std::uint64_t seed) {
  std::vector<Xapian::docid> docids = voters.numbers();
  shuffle(docids, seed);

  // Dealt out by turns. The first of all are those that are classified.
  const bool few = sample * 2 <= docids.size();
  std::vector<Part> parts(folds, Part{{}, voters, voters});
  for (std::size_t i = 0; i < docids.size(); ++i) {
    Part& part = parts[i % folds];
    if (i < sample) part.docids.push_back(docids[i]);
    if (!few) part.teaching.erase(docids[i]);
  }

  // If the voters are many, no document that is classified teaches.
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

    // Of each label, the voter whose hash is the largest: one that chance draws, and the same
    // again.
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

    // A label lacks a document already if one of its voters does not vote here.
    for (std::size_t label = 0; label < labels; ++label)
      if (lacks_one[label] != 0) part.counterparts[label] = kNoDocument;
  }
}

bool share_teaching(std::span<const Part> parts) {
  return parts.front().teaching == parts.back().teaching;
}

}  // namespace kindred
