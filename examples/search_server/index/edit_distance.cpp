#include "index/edit_distance.h"

#include <algorithm>
#include <array>

namespace search_server {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The rows for the prefixes of `a` that end two bytes back, one byte back, and here.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& here = rows[i % 3];
    const auto& before = rows[(i + 2) % 3];
    here[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      here[j] = std::min({before[j] + 1, here[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here[j] = std::min(here[j], rows[(i + 1) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t least = 1 + std::min<std::size_t>(given.size() / 2, 3);
  if (given.size() > 64) return nearest;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(given, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view given, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

}  // namespace search_server
