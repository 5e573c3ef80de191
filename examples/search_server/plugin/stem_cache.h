#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace search_server {

/// What the index makes of a word.
struct WordStem {
  std::string stem;  ///< without a prefix; the word itself if it is no feature
  bool is_stop_word = false;
};

/// What the index makes of words of one language, of which it remembers some ten thousands. Any
/// thread may use it.
class StemCache {
 public:
  using Make = std::function<WordStem(const std::string& word)>;

  explicit StemCache(Make make) : make_(std::move(make)) {}
  WordStem get(const std::string& word);

 private:
  const Make make_;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, WordStem> stems_;
};

/// The caches of several languages. Any thread may use it.
class StemCaches {
 public:
  using Make = std::function<WordStem(const std::string& word, const std::string& language)>;

  explicit StemCaches(Make make) : make_(std::move(make)) {}
  std::shared_ptr<StemCache> of(const std::string& language);

 private:
  const Make make_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StemCache>> caches_;
};

}  // namespace search_server
