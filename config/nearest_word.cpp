#include "config/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kindred {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string likely_of(std::string_view word, const std::vector<std::string>& known) {
  word = without_dashes(word);
  const auto begins = [&](const std::string& name) {
    return without_dashes(name).starts_with(word);
  };
  const auto first = std::find_if(known.begin(), known.end(), begins);
  const bool is_only = first != known.end() && std::none_of(first + 1, known.end(), begins);
  if (is_only && word.size() > 1) return *first;
  std::string likely;
  std::size_t least = 2 + word.size() / 3;
  for (const std::string& name : known) {
    const std::string_view letters = without_dashes(name);
    const std::size_t distance = edit_distance(word, letters);
    if (distance >= least || distance >= std::max(word.size(), letters.size())) continue;
    least = distance;
    likely = name;
  }
  return likely;
}

std::string nearest_of(std::string_view word, const std::vector<std::string>& known) {
  return *std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

std::vector<std::string> nearest_of(std::string_view word, const std::vector<std::string>& known,
                                    std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, place
  for (std::size_t i = 0; i < known.size(); ++i)
    ranked.emplace_back(edit_distance(word, known[i]), i);
  count = std::min(count, known.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < count; ++i) nearest.push_back(known[ranked[i].second]);
  return nearest;
}

}  // namespace kindred
