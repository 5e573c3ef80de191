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

}  // namespace

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
