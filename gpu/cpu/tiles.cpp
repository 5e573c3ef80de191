#include "gpu/cpu/tiles.h"

#include <algorithm>
#include <span>
#include <string>

#include "config/error.h"
#include "gpu/cpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint64_t kTileEntries = std::uint64_t{1} << 28;  // keeps offsets below the top bit
constexpr std::uint32_t kMaxRun = 65535;

/// A posting as one sortable number: count, then local document id.
using Posting = std::uint32_t;
Posting make_posting(std::uint32_t count, std::uint32_t document) { return count << 16 | document; }
std::uint32_t count_of(Posting posting) { return posting >> 16; }
std::uint16_t document_of(Posting posting) { return static_cast<std::uint16_t>(posting); }

class TileBuilder {
 public:
  TileBuilder(CsrView mirror, std::uint32_t first, std::uint32_t last, double plane_density)
      : mirror_(mirror), plane_density_(plane_density) {
    tile_.first_row = first;
    tile_.documents = last - first;
  }

  Tile build() {
    invert();
    tile_.start.resize(std::size_t{mirror_.columns} + 1);
    for (std::uint32_t t = 0; t < mirror_.columns; ++t)
      add_term(t, std::span(postings_).subspan(begin_[t], begin_[t + 1] - begin_[t]));
    tile_.start[mirror_.columns] = offset();
    tile_.postings.shrink_to_fit();
    tile_.planes.shrink_to_fit();
    return std::move(tile_);
  }

 private:
  /// Lists every term's postings, by document: a counting sort over the tile's entries.
  void invert() {
    const std::uint64_t first = mirror_.row_begin[tile_.first_row];
    const std::uint64_t last = mirror_.row_begin[tile_.first_row + tile_.documents];
    std::vector<std::uint64_t> next(std::size_t{mirror_.columns} + 1);
    for (std::uint64_t i = first; i < last; ++i) ++next[mirror_.column[i] + std::size_t{1}];
    for (std::size_t t = 0; t < mirror_.columns; ++t) next[t + 1] += next[t];
    begin_ = next;
    postings_.resize(last - first);
    for (std::uint32_t d = 0; d < tile_.documents; ++d) {
      const std::size_t row = std::size_t{tile_.first_row} + d;
      for (std::uint64_t i = mirror_.row_begin[row]; i < mirror_.row_begin[row + 1]; ++i)
        postings_[next[mirror_.column[i]]++] = make_posting(mirror_.count[i], d);
    }
  }

  void add_term(std::uint32_t term, std::span<Posting> list) {
    tile_.start[term] = offset();
    const std::uint32_t planes = count_planes(list);
    if (planes > 0) {
      tile_.start[term] |= Tile::kHasPlanes;
      add_planes(list, planes);
    }
    rest_.clear();
    append_ones(list, planes);
    for (const Posting posting : list)
      if (count_of(posting) > std::max(planes, 1u)) rest_.push_back(posting);
    std::sort(rest_.begin(), rest_.end());
    append_runs(rest_);
  }

  /// How many of the planes "count >= 1, 2, .." are as full as the layout asks.
  std::uint32_t count_planes(std::span<const Posting> list) const {
    const double enough = plane_density_ * tile_.documents;
    std::uint32_t planes = 0;
    for (std::size_t at_least = list.size(); static_cast<double>(at_least) >= enough;) {
      if (at_least == 0 || ++planes == kMaxCount) break;
      at_least = static_cast<std::size_t>(
          std::count_if(list.begin(), list.end(), [&](Posting p) { return count_of(p) > planes; }));
    }
    return planes;
  }

  void add_planes(std::span<const Posting> list, std::uint32_t planes) {
    const std::size_t words = tile_.plane_words();
    const std::size_t first = tile_.planes.size() / words;
    tile_.planes.resize(tile_.planes.size() + planes * words);
    for (const Posting posting : list) {
      const std::uint32_t d = document_of(posting);
      for (std::uint32_t j = 0; j < std::min(count_of(posting), planes); ++j) {
        std::uint16_t& word = tile_.planes[(first + j) * words + d / 16];
        word = static_cast<std::uint16_t>(word | 1u << d % 16);
      }
    }
    for (const std::size_t header : {std::size_t{planes}, first & 0xFFFF, first >> 16})
      tile_.postings.push_back(static_cast<std::uint16_t>(header));
  }

  /// The commonest count needs no sorting: documents ascend already.
  void append_ones(std::span<const Posting> list, std::uint32_t planes) {
    if (planes > 0) return;
    ones_.clear();
    for (const Posting posting : list)
      if (count_of(posting) == 1) ones_.push_back(posting);
    append_runs(ones_);
  }

  void append_runs(std::span<const Posting> sorted) {
    while (!sorted.empty()) {
      const std::uint32_t count = count_of(sorted.front());
      std::size_t length = 0;
      while (length < std::min<std::size_t>(sorted.size(), kMaxRun) &&
             count_of(sorted[length]) == count)
        ++length;
      tile_.postings.push_back(static_cast<std::uint16_t>(count));
      tile_.postings.push_back(static_cast<std::uint16_t>(length));
      for (const Posting posting : sorted.first(length))
        tile_.postings.push_back(document_of(posting));
      sorted = sorted.subspan(length);
    }
  }

  std::uint32_t offset() const {
    if (tile_.postings.size() >= Tile::kHasPlanes)
      throw Error(Errc::kUnsupported,
                  "rows from " + std::to_string(tile_.first_row) + " on have too many entries");
    return static_cast<std::uint32_t>(tile_.postings.size());
  }

  CsrView mirror_;
  double plane_density_;
  Tile tile_;
  std::vector<std::uint64_t> begin_;  // [columns + 1] of postings_
  std::vector<Posting> postings_;
  std::vector<Posting> ones_, rest_;
};

/// First rows of the tiles, and the number of rows: a tile ends when it has enough documents or,
/// at a multiple of the padding, entries.
std::vector<std::uint32_t> cut(CsrView mirror, std::uint32_t documents) {
  std::vector<std::uint32_t> cuts{0};
  for (std::uint64_t row = Tile::kPadding; row < mirror.rows; row += Tile::kPadding) {
    const std::uint32_t first = cuts.back();
    const std::uint64_t next = std::min<std::uint64_t>(row + Tile::kPadding, mirror.rows);
    if (next - first > documents || mirror.row_begin[next] - mirror.row_begin[first] > kTileEntries)
      cuts.push_back(static_cast<std::uint32_t>(row));
  }
  if (mirror.rows > 0) cuts.push_back(mirror.rows);
  return cuts;
}

}  // namespace

std::size_t Tile::bytes() const {
  return sizeof(Tile) + start.capacity() * sizeof(start[0]) +
         postings.capacity() * sizeof(postings[0]) + planes.capacity() * sizeof(planes[0]);
}

std::vector<Tile> build_tiles(CsrView mirror, const TileLayout& layout, std::size_t threads) {
  const std::vector<std::uint32_t> cuts = cut(mirror, layout.documents);
  std::vector<Tile> tiles(cuts.size() - 1);
  for_each_item(tiles.size(), threads, [&](std::size_t i) {
    tiles[i] = TileBuilder(mirror, cuts[i], cuts[i + 1], layout.plane_density).build();
  });
  return tiles;
}

}  // namespace kindred::cpu
