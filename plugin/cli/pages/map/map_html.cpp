#include <algorithm>
#include <cmath>
#include <set>

#include "config/shown.h"
#include "map_page.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/pages/map/map_names.h"
#include "plugin/topics/topic_map.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kPlanes = 1500;  // at most this many words to color a page by
constexpr double kSmallDrawing = 360;  // the width of a map on a phone, in pixels

/// The words that tell topics apart, then those that tell units apart.
std::vector<std::uint32_t> telling_columns(const TopicMap& map) {
  std::vector<std::uint32_t> columns;
  std::set<std::uint32_t> seen;
  const auto mark = [&](std::uint32_t column) {
    if (columns.size() < kPlanes && seen.insert(column).second) columns.push_back(column);
  };

  // Words of topics are what people look for first. Then come the units' words, the best of each
  // before the second of any.
  for (const Topic& topic : map.topics) {
    for (const TopicTerm& term : topic.terms)
      if (const auto column = map.column_of(term.term)) mark(*column);
  }

  for (std::size_t i = 0; i < 8; ++i) {
    for (const TopicUnit& unit : map.units)
      if (i < unit.columns.size()) mark(unit.columns[i]);
  }
  return columns;
}

/// For each unit, the step from the unit before and the weight in 255ths of the largest. Units
/// whose weight rounds to 0 are left out.
Json plane_of(const TopicMap& map, std::uint32_t column) {
  // A byte for a weight is all that a color can show, and steps are short numbers: the page stays
  // small.
  const std::vector<float> weights = map.plane(column);
  const float most = *std::max_element(weights.begin(), weights.end());
  Json pairs = Json::array();
  std::size_t last = 0;

  for (std::size_t unit = 0; unit < weights.size(); ++unit) {
    const auto level = most > 0 ? std::lround(255 * weights[unit] / most) : 0;
    if (level <= 0) continue;
    pairs.push_back(unit - last);
    pairs.push_back(level);
    last = unit;
  }
  return pairs;
}

/// Words get new numbers, since the page has only those that it shows.
class PageWords {
 public:
  explicit PageWords(const TopicMap& map) : map_(map), number_(map.words.size(), UINT32_MAX) {}
  std::uint32_t number(std::uint32_t column) {
    if (number_[column] == UINT32_MAX) {
      number_[column] = static_cast<std::uint32_t>(list_.size());
      list_.push_back(shown(map_.words[column]));
    }
    return number_[column];
  }
  const Json& list() const { return list_; }

 private:
  const TopicMap& map_;
  std::vector<std::uint32_t> number_;
  Json list_ = Json::array();
};

Json unit_json(const TopicUnit& unit, PageWords& words) {
  Json typical = Json::array();
  Json numbers = Json::array();
  for (const TopicDocument& document : unit.typical)
    typical.push_back({shown(document.id), shown(document.title)});
  for (const std::uint32_t column : unit.columns) numbers.push_back(words.number(column));

  // Coordinates on a page are no more exact than this.
  const auto rounded = [](double value) {
    return std::round(value * 1e4) / 1e4;
  };
  return {
      {"x", rounded(unit.x)},        {"y", rounded(unit.y)},           {"topic", unit.topic},
      {"documents", unit.documents}, {"height", rounded(unit.height)}, {"label", shown(unit.label)},
      {"words", std::move(numbers)}, {"typical", std::move(typical)}};
}

Json topic_json(const Topic& topic) {
  Json words = Json::array();
  for (const TopicTerm& term : topic.terms) words.push_back(shown(term.word));
  if (words.empty()) words.push_back(shown(topic.name));
  return {{"name", shown(topic.name)}, {"documents", topic.documents}, {"words", std::move(words)}};
}

/// `scale`: pixels of a lattice unit, on the screen that the sizes are meant for.
Json names_json(const TopicMap& map, double scale) {
  Json names = Json::array();
  for (const PlacedLine& line : place_names(map, scale).lines)
    names.push_back({line.text, line.middle.x, line.middle.y, line.size, line.width});
  return names;
}

}  // namespace

std::string draw_html(const TopicMap& map) {
  // The page knows only the words that it shows, by numbers of its own.
  PageWords words(map);
  Json planes = Json::object();
  Json units = Json::array();
  Json topics = Json::array();
  for (const std::uint32_t column : telling_columns(map))
    planes[std::to_string(words.number(column))] = plane_of(map, column);
  for (const TopicUnit& unit : map.units) units.push_back(unit_json(unit, words));
  for (const Topic& topic : map.topics) topics.push_back(topic_json(topic));

  // Names are placed twice, for a large drawing and for a phone's.
  const double large = drawing_scale(map);
  const double small = std::min(large, kSmallDrawing / extent_of(map).x);

  const Json data = {{"documents", map.origin.documents},
                     {"rows", map.origin.rows},
                     {"columns", map.origin.columns},
                     {"hexagonal", map.origin.hexagonal},
                     {"units", std::move(units)},
                     {"topics", std::move(topics)},
                     {"language", ideograph_language(map)},
                     {"scale", large},
                     {"names", names_json(map, large)},
                     {"small_names", names_json(map, small)},
                     {"words", words.list()},
                     {"planes", std::move(planes)}};

  std::string html(map_page::kHead);
  return html.append(script_json(data)).append(map_page::kTail);
}

}  // namespace kindred::cli
