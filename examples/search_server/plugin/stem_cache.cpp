#include "plugin/stem_cache.h"

namespace search_server {
namespace {

constexpr std::size_t kMostRemembered = 50'000;
constexpr std::size_t kLongest = 64;  // bytes of a word that is remembered

}  // namespace

std::string StemCache::get(const std::string& word) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = stems_.find(word); known != stems_.end()) return known->second;
  }
  std::string stem = make_(word);
  if (word.size() > kLongest) return stem;
  const std::unique_lock lock(mutex_);
  if (stems_.size() >= kMostRemembered) stems_.clear();
  stems_.emplace(word, stem);
  return stem;
}

std::shared_ptr<StemCache> StemCaches::of(const std::string& language) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<StemCache>& cache = caches_[language];
  if (!cache) {
    cache = std::make_shared<StemCache>(
        [this, language](const std::string& word) { return make_(word, language); });
  }
  return cache;
}

}  // namespace search_server
