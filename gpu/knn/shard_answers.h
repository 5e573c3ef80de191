#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"

namespace kindred {

/// What each of some shards found for the queries of a part of a call.
class ShardAnswers {
 public:
  explicit ShardAnswers(std::size_t shards) : answers_(shards) {}

  /// Room for the answer of a shard, whose backend makes it if there is too little. What it held is
  /// lost. Threads may call it at once for different shards.
  std::span<Neighbor> make_room(std::size_t shard, const Backend& backend, std::size_t neighbors);

  /// What a shard found for query `query`, if it was asked for `each` neighbors of each.
  std::span<const Neighbor> of(std::size_t shard, std::size_t query, std::size_t each) const {
    return {answers_[shard].room.get() + query * each, each};
  }

 private:
  struct Answer {
    AnswerRoom room;
    std::size_t size = 0;
  };
  std::vector<Answer> answers_;
};

}  // namespace kindred
