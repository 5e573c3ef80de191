#include "plugin/votes/classes/learning_set.h"

namespace kindred {

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t LearningSet::hash_of(std::uint32_t docid) {
  std::uint64_t hash = docid + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

bool LearningSet::has(std::uint32_t docid) const {
  return docid <= last_docid && hash_of(docid) <= most_hash;
}

LearningSet learning_set(std::uint32_t last_docid, std::size_t voters, std::size_t most) {
  LearningSet set{last_docid};
  if (voters <= most) return set;

  // As large a share of all hashes as of the voters.
  const double share = static_cast<double>(most) / static_cast<double>(voters);
  set.most_hash = static_cast<std::uint64_t>(0x1p63 * share) << 1;
  return set;
}

}  // namespace kindred
