#include "gpu/knn/shard_answers.h"

namespace kindred {

std::span<Neighbor> ShardAnswers::make_room(std::size_t shard, const Backend& backend,
                                            std::size_t neighbors) {
  Answer& answer = answers_[shard];
  if (answer.size < neighbors) {
    answer = {};  // goes before there is more
    answer = {backend.make_room(neighbors), neighbors};
  }
  return {answer.room.get(), neighbors};
}

}  // namespace kindred
