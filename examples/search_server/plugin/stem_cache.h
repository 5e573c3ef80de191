#pragma once

#include <functional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace search_server {

/// What the index makes of a word.
struct WordStem {
  std::string stem;  ///< without a prefix; the word itself if it is no feature
  bool is_stop_word = false;
};

/// Remembers what the index makes of words, some ten thousands of them. Any thread may use it.
class StemCache {
 public:
  using Make = std::function<WordStem()>;

  /// `language` and `word` as make() knows them, which is called if they are not remembered.
  WordStem get(const std::string& language, const std::string& word, const Make& make);

 private:
  std::shared_mutex mutex_;
  std::unordered_map<std::string, WordStem> stems_;
};

}  // namespace search_server
