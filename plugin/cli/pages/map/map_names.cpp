#include "plugin/cli/pages/map/map_names.h"

#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "config/shown.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr double kCells = 360;       // of the raster, along its longer axis
constexpr double kLeast = 10;        // font sizes in pixels: of names
constexpr double kNumber = 9;        // ... and of numbers
constexpr double kUsual = 12;        // of the smallest topic
constexpr double kLargest = 26;      // of one that has all
constexpr double kShrink = 0.9;      // from one size that is tried to the next
constexpr double kLineHeight = 1.1;  // font sizes: from line to line
constexpr double kRise = 1;          // font sizes: of one line
constexpr double kHalo = 0.2;        // font sizes on each side

// From a space on, in thousandths of the font size (Adobe's font metrics).
constexpr std::array<std::uint16_t, 95> kHelveticaBold = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};

/// Which topic each cell of a raster over the map belongs to; 0 = none.
struct Regions {
  explicit Regions(const TopicMap& map) {
    // Fine enough for a small letter, and no finer: the time to place names grows with the cells.
    const Point extent = extent_of(map);
    cells = std::clamp(std::round(kCells / std::max(extent.x, extent.y)), 2.0, 12.0);
    width = static_cast<std::size_t>(std::ceil(extent.x * cells));
    height = static_cast<std::size_t>(std::ceil(extent.y * cells));
    topic.resize(width * height);

    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::int64_t unit =
            unit_at(map, {(static_cast<double>(x) + 0.5) / cells - kMapMargin,
                          (static_cast<double>(y) + 0.5) / cells - kMapMargin});
        if (unit >= 0) topic[y * width + x] = map.units[static_cast<std::size_t>(unit)].topic;
      }
    }
  }

  double cells = 1;  ///< of a lattice unit, along each axis
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint32_t> topic;  ///< row by row
};

/// The region of one topic, where boxes can be looked for.
class Region {
 public:
  Region(const Regions& regions, std::uint32_t topic)
      : regions_(regions),
        sum_((regions.width + 1) * (regions.height + 1)),
        left_(regions.width),
        top_(regions.height) {
    // A summed area table: at(x, y) counts the cells of the region above and to the left of a
    // corner, so that four numbers tell how much of any box lies in the region.
    double cells = 0;
    for (std::size_t y = 0; y < regions.height; ++y) {
      for (std::size_t x = 0; x < regions.width; ++x) {
        const bool is_inside = regions.topic[y * regions.width + x] == topic;
        at(x + 1, y + 1) = at(x, y + 1) + at(x + 1, y) - at(x, y);

        if (!is_inside) continue;

        ++at(x + 1, y + 1);
        left_ = std::min(left_, x);
        right_ = std::max(right_, x + 1);
        top_ = std::min(top_, y);
        bottom_ = std::max(bottom_, y + 1);
        middle_.x += static_cast<double>(x);
        middle_.y += static_cast<double>(y);
        cells += 1;
      }
    }
    middle_ = {middle_.x / std::max(cells, 1.0), middle_.y / std::max(cells, 1.0)};
  }

  /// The middle of the box of this size, in lattice units, that lies in the region and nearest to
  /// its middle. Nothing if none does.
  std::optional<Point> place(Point size) const {
    // Every box of whole cells inside of the region's bounds is tried. It fits if all of its cells
    // are of the region.
    const auto across = static_cast<std::size_t>(std::ceil(size.x * regions_.cells));
    const auto down = static_cast<std::size_t>(std::ceil(size.y * regions_.cells));

    double least = std::numeric_limits<double>::infinity();
    std::optional<Point> best;
    for (std::size_t y = top_; y + down <= bottom_; ++y) {
      for (std::size_t x = left_; x + across <= right_; ++x) {
        if (inside(x, y, across, down) != across * down) continue;

        const Point middle = {static_cast<double>(x) + static_cast<double>(across) / 2,
                              static_cast<double>(y) + static_cast<double>(down) / 2};
        const double apart = std::hypot(middle.x - middle_.x, middle.y - middle_.y);
        if (apart >= least) continue;
        least = apart;
        best = {middle.x / regions_.cells - kMapMargin, middle.y / regions_.cells - kMapMargin};
      }
    }
    return best;
  }

 private:
  std::uint32_t& at(std::size_t x, std::size_t y) { return sum_[y * (regions_.width + 1) + x]; }
  std::uint32_t at(std::size_t x, std::size_t y) const {
    return sum_[y * (regions_.width + 1) + x];
  }
  std::size_t inside(std::size_t x, std::size_t y, std::size_t across, std::size_t down) const {
    return at(x + across, y + down) + at(x, y) - at(x + across, y) - at(x, y + down);
  }

  const Regions& regions_;
  std::vector<std::uint32_t> sum_;  // of cells inside, above and to the left
  std::size_t left_;                // of the smallest box around it
  std::size_t top_;
  std::size_t right_ = 0;
  std::size_t bottom_ = 0;
  Point middle_;  // in cells
};

using Lines = std::vector<std::string>;

/// The ways to write a name, the best first.
std::vector<Lines> ways_of(const Topic& topic) {
  if (topic.terms.size() < 2) return {{shown(topic.name)}};
  const std::string first = shown(topic.terms[0].word);
  const std::string second = shown(topic.terms[1].word);
  return {{first + ", " + second}, {first + ",", second}, {first}};
}

/// Sizes of a font to try, from the largest on.
std::vector<double> sizes_from(double largest, double least) {
  std::vector<double> sizes{largest};
  while (sizes.back() * kShrink >= least) sizes.push_back(sizes.back() * kShrink);
  return sizes;
}

/// The middle of a topic: the center of its unit nearest to the mean of all their centers.
Point middle_of(const TopicMap& map, const Topic& topic) {
  double x = 0;
  double y = 0;
  double units = 0;
  for (const TopicUnit& unit : map.units) {
    if (unit.topic != topic.number) continue;
    x += unit.x;
    y += unit.y;
    units += 1;
  }

  // The mean itself may lie in another topic, as of one that is bent.
  const auto apart = [&](const TopicUnit& unit) {
    if (unit.topic != topic.number) return std::numeric_limits<double>::infinity();
    return std::hypot(unit.x - x / units, unit.y - y / units);
  };

  const auto nearest = std::ranges::min_element(map.units, {}, apart);
  return {nearest->x, nearest->y};
}

/// Places the name of one topic, or its number.
class NamePlacer {
 public:
  NamePlacer(const Regions& regions, const Topic& topic, double pixels, MapNames& names)
      : region_(regions, topic.number), topic_(topic), pixels_(pixels), names_(names) {}

  /// `largest`: the font size in pixels to begin with. False if no smaller one fits either.
  bool place_name(const std::vector<Lines>& ways, double largest) const {
    // Two words are worth a smaller font: the first word alone only if they fit in none.
    const std::vector<double> sizes = sizes_from(largest, kLeast);
    for (const double size : sizes) {
      for (std::size_t way = 0; way < std::min<std::size_t>(2, ways.size()); ++way)
        if (place_lines(ways[way], size / pixels_)) return true;
    }

    for (const double size : sizes)
      if (ways.size() > 2 && place_lines(ways[2], size / pixels_)) return true;
    return false;
  }

  /// In the middle of one of its units if it fits nowhere else.
  void place_number(const TopicMap& map) const {
    const std::string number = std::to_string(topic_.number);
    for (const double size : sizes_from(kUsual, kNumber))
      if (place_lines({number}, size / pixels_)) return;
    const double size = kNumber / pixels_;
    names_.lines.push_back({number, middle_of(map, topic_), size, text_width(number) * size});
  }

 private:
  /// Places the lines in type of a size in lattice units; false if they do not fit.
  bool place_lines(const Lines& lines, double size) const {
    double width = 0;
    for (const std::string& line : lines) width = std::max(width, text_width(line) * size);
    const double rest = static_cast<double>(lines.size() - 1);

    // The box has room for the halo, which would else cover what is beside it.
    const Point box = {width + 2 * kHalo * size, (kRise + rest * kLineHeight + 2 * kHalo) * size};
    const std::optional<Point> middle = region_.place(box);
    if (!middle) return false;

    // Lines are centered around the middle, one below the other.
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double down = (static_cast<double>(i) - rest / 2) * kLineHeight * size;
      names_.lines.push_back(
          {lines[i], {middle->x, middle->y + down}, size, text_width(lines[i]) * size});
    }
    return true;
  }

  Region region_;
  const Topic& topic_;
  double pixels_;
  MapNames& names_;
};

/// The font size in pixels that a name has if there is room.
double largest_size(const TopicMap& map, const Topic& topic) {
  const double share = static_cast<double>(topic.documents) /
                       static_cast<double>(std::max<std::uint64_t>(map.origin.documents, 1));
  return kUsual + (kLargest - kUsual) * std::min(1.0, 2 * std::sqrt(share));
}

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;  // the further bytes of UTF-8

    const auto first = static_cast<unsigned char>(text[begin]);
    if (first >= ' ' && first <= '~') {
      width += kHelveticaBold[first - ' '] / 1000.0;
    } else {
      const std::size_t columns = display_width(text.substr(begin, at - begin));
      width += columns == 2 ? 1 : 0.6 * static_cast<double>(columns);
    }
  }
  return width;
}

std::string name_on_map(const Topic& topic) { return ways_of(topic)[0][0]; }

std::string ideograph_language(const TopicMap& map) {
  // The scripts of the names that the map shows.
  std::set<UScriptCode> found;
  for (const Topic& topic : map.topics) {
    const icu::UnicodeString letters = icu::UnicodeString::fromUTF8(name_on_map(topic));
    for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1)) {
      UErrorCode status = U_ZERO_ERROR;
      found.insert(uscript_getScript(letters.char32At(i), &status));
    }
  }

  // Japanese and Korean have ideographs, too, but also letters that no other language has.
  if (found.contains(USCRIPT_HIRAGANA) || found.contains(USCRIPT_KATAKANA)) return "ja";
  if (found.contains(USCRIPT_HANGUL)) return "ko";
  if (found.contains(USCRIPT_HAN) || found.contains(USCRIPT_BOPOMOFO)) return "zh";
  return "";
}

MapNames place_names(const TopicMap& map, double pixels) {
  // Larger topics have no right of way: the names of topics lie in regions that do not overlap.
  const Regions regions(map);
  MapNames names;
  for (const Topic& topic : map.topics) {
    const NamePlacer placer(regions, topic, pixels, names);

    if (placer.place_name(ways_of(topic), largest_size(map, topic))) continue;
    names.numbered.push_back(topic.number);
    placer.place_number(map);
  }
  return names;
}

}  // namespace kindred::cli
