#include "page/map/map_names.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "page/html/parts.h"

namespace search_server {
namespace {

constexpr double kLeast = 11;             // font size in pixels
constexpr double kShrink = 0.85;          // from one size that is tried to the next
constexpr double kLetter = 0.62;          // of a font size
constexpr double kLine = 1.15;            // of a font size
constexpr double kApart = 0.5;            // of a font size, between names side by side
constexpr std::size_t kPlacesTried = 24;  // units of each topic

struct Box {
  double left, top, right, bottom;
};

bool meet(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

Box box_of(const MapName& name) {
  const double width = (text_width(name.text) + kApart) * name.size, height = kLine * name.size;
  return {name.x - width / 2, name.y - height / 2, name.x + width / 2, name.y + height / 2};
}

/// The first words of a name, at most `count`, without commas.
std::string first_words(const std::string& name, int count) {
  std::istringstream parts(name);
  std::string words, word;
  for (int i = 0; i < count && parts >> word; ++i) {
    if (word.ends_with(',')) word.pop_back();
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

/// The units of a topic, those nearest to the middle of all of them first.
std::vector<MapUnit> from_the_middle(const TopicMap& map, std::uint64_t topic) {
  std::vector<MapUnit> units;
  std::copy_if(map.units.begin(), map.units.end(), std::back_inserter(units),
               [&](const MapUnit& unit) { return unit.topic == topic; });
  double x = 0, y = 0;
  for (const MapUnit& unit : units) {
    x += unit.x / static_cast<double>(units.size());
    y += unit.y / static_cast<double>(units.size());
  }
  std::stable_sort(units.begin(), units.end(), [&](const MapUnit& a, const MapUnit& b) {
    return std::hypot(a.x - x, a.y - y) < std::hypot(b.x - x, b.y - y);
  });
  if (units.size() > kPlacesTried) units.resize(kPlacesTried);
  return units;
}

class Placement {
 public:
  Placement(const TopicMap& map, double pixels) : map_(map), pixels_(pixels) {}

  /// Tries the name in ever smaller type, up to `largest` pixels.
  bool place(std::uint64_t topic, const std::string& text, double largest) {
    if (text.empty()) return false;
    const std::vector<MapUnit> units = from_the_middle(map_, topic);
    double size = largest;
    while (size >= kLeast) {
      for (const MapUnit& unit : units) {
        const MapName name{topic, text, unit.x + kMapMargin, unit.y + kMapMargin, size / pixels_};
        if (!is_free(box_of(name))) continue;
        taken_.push_back(box_of(name));
        names.push_back(name);
        return true;
      }
      size *= kShrink;
    }
    return false;
  }

  std::vector<MapName> names;

 private:
  bool is_free(const Box& box) const {
    if (box.left < 0 || box.top < 0 || box.right > map_.width || box.bottom > map_.height)
      return false;
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Box& other) { return meet(box, other); });
  }

  const TopicMap& map_;
  double pixels_;
  std::vector<Box> taken_;
};

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) == 0x80) continue;
    width += byte >= 0xe1 ? 1 : kLetter;
  }
  return width;
}

std::vector<MapName> place_names(const TopicMap& map, const Json& topics, double pixels,
                                 double largest) {
  std::vector<std::size_t> order(topics.size());
  std::iota(order.begin(), order.end(), 0);
  const auto documents = [&](std::size_t i) { return number_of(topics[i], "documents"); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return documents(a) > documents(b); });
  const double most = order.empty() ? 1 : std::max(1.0, documents(order.front()));
  Placement placement(map, pixels);
  for (const std::size_t i : order) {
    const double size = kLeast + (largest - kLeast) * std::sqrt(documents(i) / most);
    const std::uint64_t topic = count_of(topics[i], "number");
    const std::string name = text_of(topics[i], "name");
    if (!placement.place(topic, first_words(name, 2), size))
      placement.place(topic, first_words(name, 1), size);
  }
  return placement.names;
}

}  // namespace search_server
