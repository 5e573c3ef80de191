#include "page/map/topic_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "page/html/parts.h"
#include "page/html/search_state.h"
#include "page/map/map_names.h"

namespace search_server {
namespace {

constexpr double kScale = 20;  // drawing units of a distance
/// A drawing's width and its largest type, in pixels.
struct Sizes {
  double width, largest;
};
constexpr Sizes kWide = {900, 22}, kNarrow = {340, 15};  // on a desk, on a phone
constexpr unsigned kShades = 4;

using Topics = std::set<std::uint64_t>;

/// Which topics lie side by side.
std::map<std::uint64_t, Topics> neighbors_of(const TopicMap& map) {
  std::map<std::uint64_t, Topics> neighbors;
  const std::uint64_t columns = std::max<std::uint64_t>(map.columns, 1);
  for (std::size_t i = 0; i < map.units.size(); ++i) {
    for (const std::uint64_t step : {std::uint64_t{1}, columns - 1, columns, columns + 1}) {
      if (i + step >= map.units.size()) continue;
      const MapUnit &a = map.units[i], &b = map.units[i + step];
      if (a.topic == b.topic || std::hypot(a.x - b.x, a.y - b.y) > 1.2) continue;
      neighbors[a.topic].insert(b.topic);
      neighbors[b.topic].insert(a.topic);
    }
  }
  return neighbors;
}

/// Each topic gets the color that was used least among those that no neighbor has.
std::map<std::uint64_t, unsigned> color_topics(const TopicMap& map) {
  const auto neighbors = neighbors_of(map);
  Topics topics;
  for (const MapUnit& unit : map.units) topics.insert(unit.topic);
  std::map<std::uint64_t, unsigned> color;
  std::array<std::size_t, kMapColors> used{};
  for (const std::uint64_t topic : topics) {
    std::array<bool, kMapColors> near{};
    if (const auto found = neighbors.find(topic); found != neighbors.end())
      for (const std::uint64_t other : found->second)
        if (const auto its = color.find(other); its != color.end()) near[its->second] = true;
    unsigned best = 0;
    for (unsigned c = 0; c < kMapColors; ++c)
      if (std::pair(near[c], used[c]) < std::pair(near[best], used[best])) best = c;
    color[topic] = best;
    ++used[best];
  }
  return color;
}

/// Where 95 of 100 units have at most so many documents.
double usual_most(const TopicMap& map) {
  std::vector<std::uint64_t> counts;
  for (const MapUnit& unit : map.units) counts.push_back(unit.documents);
  std::sort(counts.begin(), counts.end());
  return counts.empty()
             ? 1
             : std::max(1.0, static_cast<double>(counts[(counts.size() - 1) * 95 / 100]));
}

unsigned shade_of(const MapUnit& unit, double most) {
  if (unit.documents == 0) return 0;
  const double part = std::min(1.0, std::sqrt(static_cast<double>(unit.documents) / most));
  return 1 + std::min(kShades - 1, static_cast<unsigned>(part * kShades));
}

std::string outline(const TopicMap& map, const MapUnit& unit) {
  const double x = (unit.x + kMapMargin) * kScale, y = (unit.y + kMapMargin) * kScale;
  const double left = map.hexagonal ? x : x - kScale / 2;
  const double top = map.hexagonal ? y - kScale / std::sqrt(3.0) : y - kScale / 2;
  std::string path = "M";
  path.append(decimal(left)).append(" ").append(decimal(top));
  return path.append(map.hexagonal ? "l10 5.77v11.55l-10 5.77-10-5.77v-11.55z" : "h20v20h-20z");
}

/// `most`: documents of a unit of the darkest shade.
Html region(const TopicMap& map, double most, const Json& topic, const std::string& classes,
            const PageContext& context) {
  const std::uint64_t number = count_of(topic, "number");
  Html units;
  for (const MapUnit& unit : map.units)
    if (unit.topic == number)
      units += el("path", {{"class", numbered("d", shade_of(unit, most))},
                           {"d", outline(map, unit)},
                           {"data-unit", std::to_string(unit.number)},
                           {"data-count", std::to_string(unit.documents)}});
  std::string words;
  for (const Json& term : list_of(topic, "terms"))
    words.append(words.empty() ? "" : ", ").append(text_of(term, "word"));
  const std::string name = text_of(topic, "name");
  const SearchState state = SearchState(context.query).having("topic", text_of(topic, "number"));
  return el("a",
            {{"class", classes},
             link(state.having("unit", "").having("offset", "").address("/explore")),
             {"tabindex", "-1"},
             {"data-topic", std::to_string(number)},
             {"data-name", name},
             {"data-words", words},
             {"data-count", counted(count_of(topic, "documents"))},
             {"aria-label", "Topic " + name}},
            {el("title", {}, {name}), units});
}

/// Units of no topic.
Html nowhere(const TopicMap& map) {
  Html units;
  for (const MapUnit& unit : map.units)
    if (unit.topic == 0) units += el("path", {{"class", "d0"}, {"d", outline(map, unit)}});
  return el("g", {{"class", "nowhere"}}, {units});
}

Html names(const TopicMap& map, const Json& topics, const Sizes& sizes, std::string_view kind) {
  Html texts;
  for (const MapName& name : place_names(map, topics, sizes.width / map.width, sizes.largest))
    texts += el("text",
                {{"x", decimal(name.x * kScale)},
                 {"y", decimal((name.y + 0.36 * name.size) * kScale)},
                 {"font-size", decimal(name.size * kScale)},
                 {"data-topic", std::to_string(name.topic)}},
                {name.text});
  return el("g", {{"class", "names " + std::string(kind)}, {"aria-hidden", "true"}}, {texts});
}

}  // namespace

TopicMap read_map(const Json& answer) {
  TopicMap map;
  map.hexagonal = text_of(answer, "lattice") != "rectangular";
  map.columns = count_of(answer, "columns");
  for (const Json& unit : list_of(answer, "units")) {
    map.units.push_back({count_of(unit, "unit"), number_of(unit, "x"), number_of(unit, "y"),
                         count_of(unit, "topic"), count_of(unit, "documents")});
    map.width = std::max(map.width, map.units.back().x + 2 * kMapMargin);
    map.height = std::max(map.height, map.units.back().y + 2 * kMapMargin);
  }
  map.color = color_topics(map);
  return map;
}

Html draw_map(const TopicMap& map, const Json& topics, std::uint64_t chosen,
              const std::map<std::uint64_t, std::uint64_t>& counts, const PageContext& context) {
  if (map.units.size() > kMostUnits)
    return el("p", {{"class", "soft"}}, {"The map has too many units to be drawn here."});
  Html regions = nowhere(map);
  const double most = usual_most(map);
  for (const Json& topic : topics) {
    const std::uint64_t number = count_of(topic, "number");
    const auto color = map.color.find(number);
    if (color == map.color.end()) continue;
    std::string classes = numbered("region c", color->second);
    if (chosen == number) classes += " chosen";
    if (!counts.empty() && !counts.contains(number)) classes += " faint";
    regions += region(map, most, topic, classes, context);
  }
  return el("svg",
            {{"id", "map"},
             {"class", chosen == 0 ? "map" : "map has-chosen"},
             {"viewBox", "0 0 " + decimal(map.width * kScale) + ' ' + decimal(map.height * kScale)},
             {"data-columns", std::to_string(map.columns)},
             {"aria-label", "Topic map"}},
            {regions, names(map, topics, kWide, "wide"), names(map, topics, kNarrow, "narrow")});
}

}  // namespace search_server
