#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/text/word_list.h"

namespace kindred {

/// The lemmas of words that a dictionary was asked for: of about 100,000 words at most. Any number
/// of threads may use it; they seldom wait for each other.
class LemmaCache {
 public:
  using Lemmas = std::vector<std::string>;

  std::optional<Lemmas> find(std::string_view word) {
    Part& part = part_of(word);
    const std::lock_guard lock(part.mutex);
    const auto found = part.words.find(word);
    if (found == part.words.end()) return std::nullopt;
    return std::optional(found->second);
  }

  void add(std::string_view word, const Lemmas& lemmas) {
    Part& part = part_of(word);
    const std::lock_guard lock(part.mutex);
    if (part.words.size() >= kWordsOfPart) part.words.clear();
    part.words.emplace(word, lemmas);
  }

 private:
  static constexpr std::size_t kParts = 32;
  static constexpr std::size_t kWordsOfPart = 3200;

  struct Part {
    std::mutex mutex;
    std::unordered_map<std::string, Lemmas, TextHash, std::equal_to<>> words;
  };

  Part& part_of(std::string_view word) { return parts_[TextHash{}(word) % kParts]; }

  std::array<Part, kParts> parts_;
};

}  // namespace kindred
