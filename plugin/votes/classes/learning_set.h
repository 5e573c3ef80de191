#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace kindred {

/// The documents that classifiers were learned from: the voters up to a docid, or a sample of them.
struct LearningSet {
  std::uint32_t last_docid = 0;
  /// A document is in the sample if a hash of its docid is at most this.
  std::uint64_t most_hash = std::numeric_limits<std::uint64_t>::max();

  bool has(std::uint32_t docid) const;
  static std::uint64_t hash_of(std::uint32_t docid);
};

/// The set of all voters up to `last_docid`, or of about `most` of them if they are more.
LearningSet learning_set(std::uint32_t last_docid, std::size_t voters, std::size_t most);

}  // namespace kindred
