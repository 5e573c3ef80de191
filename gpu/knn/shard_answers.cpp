#include "gpu/knn/shard_answers.h"

#include <utility>

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

std::unique_ptr<ShardAnswers> ShardAnswersPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<ShardAnswers> answers = std::move(idle_.back());
      idle_.pop_back();
      return answers;
    }
  }
  return std::make_unique<ShardAnswers>(shards_);
}

void ShardAnswersPool::give_back(std::unique_ptr<ShardAnswers> answers) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(answers));
}

}  // namespace kindred
