#include "plugin/stem_cache.h"

#include <mutex>

namespace search_server {
namespace {

constexpr std::size_t kMostRemembered = 50'000;
constexpr std::size_t kLongest = 64;  // bytes of a word that is remembered

}  // namespace

WordStem StemCache::get(const std::string& language, const std::string& word, const Make& make) {
  if (word.size() > kLongest) return make();
  const std::string key = language + ' ' + word;
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = stems_.find(key); known != stems_.end()) return known->second;
  }
  WordStem stem = make();
  const std::unique_lock lock(mutex_);
  if (stems_.size() >= kMostRemembered) stems_.clear();
  stems_.emplace(key, stem);
  return stem;
}

}  // namespace search_server
