#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/cpu/knn/search.h"

namespace kindred::cpu {

/// Searchers that no call uses at the moment: their memory is kept warm. Any number of threads.
class SearcherPool {
 public:
  explicit SearcherPool(const Index& index) : index_(index) {}

  std::unique_ptr<Searcher> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Searcher> searcher = std::move(idle_.back());
        idle_.pop_back();
        return searcher;
      }
    }
    return std::make_unique<Searcher>(index_);
  }

  void give_back(std::unique_ptr<Searcher> searcher) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(searcher));
  }

 private:
  const Index& index_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Searcher>> idle_;
};

}  // namespace kindred::cpu
