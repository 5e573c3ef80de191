#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace search_server {

/// The stems that the index has of words of one language, without a prefix; the word itself if it
/// is no feature. Some ten thousands are remembered. Any thread may use it.
class StemCache {
 public:
  using Make = std::function<std::string(const std::string& word)>;

  explicit StemCache(Make make) : make_(std::move(make)) {}
  std::string get(const std::string& word);

 private:
  const Make make_;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::string> stems_;
};

/// The caches of several languages. Any thread may use it.
class StemCaches {
 public:
  using Make = std::function<std::string(const std::string& word, const std::string& language)>;

  explicit StemCaches(Make make) : make_(std::move(make)) {}
  std::shared_ptr<StemCache> of(const std::string& language);

 private:
  const Make make_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StemCache>> caches_;
};

}  // namespace search_server
