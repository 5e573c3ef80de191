#include "index/correction.h"

#include <algorithm>

#include "index/edit_distance.h"

namespace search_server {
namespace {

/// At most this many words are compared with a word.
constexpr int kMostCompared = 50'000;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string nearest_word(const Xapian::Database& database, const std::string& word) {
  if (word.size() < 3 || word.size() > 40) return "";
  const std::size_t most = word.size() < 6 ? 1 : 2;
  std::string best;
  std::size_t least = most + 1;
  Xapian::doccount frequency = 0;
  int left = kMostCompared;
  const std::string first = word.substr(0, 1);
  const auto end = database.allterms_end(first);
  for (auto term = database.allterms_begin(first); term != end && left > 0; ++term, --left) {
    const std::string name = *term;
    if (name.size() + most < word.size() || word.size() + most < name.size()) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance > least || distance > most) continue;
    const Xapian::doccount documents = term.get_termfreq();
    if (distance < least || documents > frequency) {
      best = name;
      least = distance;
      frequency = documents;
    }
  }
  return best;
}

}  // namespace

std::string corrected(const Xapian::Database& database, const std::string& query,
                      const std::vector<std::string>& unknown) {
  std::string result = query;
  bool changed = false;
  for (const std::string& word : unknown) {
    const std::string lower = lower_case(word);
    std::string better = database.get_spelling_suggestion(lower);
    if (better.empty()) better = nearest_word(database, lower);
    const std::size_t place = lower_case(result).find(lower);
    if (better.empty() || place == std::string::npos) continue;
    result.replace(place, word.size(), better);
    changed = true;
  }
  return changed ? result : "";
}

}  // namespace search_server
