#include "gpu/cpu/mirror/tiles.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint64_t kTileEntries = std::uint64_t{1} << 28;  // keeps offsets below the top bit
constexpr std::uint32_t kMaxRun = 65535;
constexpr std::size_t kWorthCounting = 32;  // postings; std::sort() is as quick for fewer
constexpr std::uint32_t kFewCounts = 16;    // counts below, which nearly all are, are not compared
constexpr std::uint32_t kSmallTile = 4096;  // documents; soon rebuilt with what follows

/// A posting as one sortable number: count, then local document id.
using Posting = std::uint32_t;
Posting make_posting(std::uint32_t count, std::uint32_t document) { return count << 16 | document; }
std::uint32_t count_of(Posting posting) { return posting >> 16; }
std::uint16_t document_of(Posting posting) { return static_cast<std::uint16_t>(posting); }

class TileBuilder {
 public:
  TileBuilder(const MirrorRows& mirror, std::uint32_t first, std::uint32_t last,
              double plane_density, const std::atomic<bool>* stop)
      : mirror_(mirror), plane_density_(plane_density), stop_(stop) {
    tile_.first_place = first;
    tile_.documents = last - first;
    tile_.dead = mirror.count_dead(first, last);
  }

  Tile build() {
    invert();
    tile_.postings.reserve(postings_.size() + postings_.size() / 2);
    tile_.start.resize(std::size_t{mirror_.columns()} + 1);
    for (std::uint32_t t = 0; t < mirror_.columns(); ++t) {
      if (begin_[t] != begin_[t + 1]) check_stop();
      add_term(t, std::span(postings_).subspan(begin_[t], begin_[t + 1] - begin_[t]));
    }
    tile_.start[mirror_.columns()] = offset();
    tile_.postings.shrink_to_fit();
    tile_.planes.shrink_to_fit();
    return std::move(tile_);
  }

 private:
  /// Lists every term's postings, by document: a counting sort over the tile's entries.
  void invert() {
    std::vector<std::uint32_t> next(std::size_t{mirror_.columns()} + 1);
    for (std::uint32_t d = 0; d < tile_.documents; ++d) {
      check_stop();
      const MirrorRows::RowEntries row = mirror_[tile_.first_place + d];
      for (std::size_t i = 0; i < row.size; ++i) ++next[row.column[i] + std::size_t{1}];
    }
    std::uint64_t entries = 0;
    for (std::uint32_t& count : next) {
      entries += count;
      if (entries >= Tile::kHasPlanes) refuse();
      count = static_cast<std::uint32_t>(entries);
    }
    begin_ = next;
    postings_.resize(next.back());
    for (std::uint32_t d = 0; d < tile_.documents; ++d) {
      check_stop();
      const MirrorRows::RowEntries row = mirror_[tile_.first_place + d];
      for (std::size_t i = 0; i < row.size; ++i)
        postings_[next[row.column[i]]++] = make_posting(row.count[i], d);
    }
  }

  void add_term(std::uint32_t term, std::span<Posting> list) {
    tile_.start[term] = offset();
    const std::uint32_t planes = count_planes(list);
    if (planes > 0) {
      tile_.start[term] |= Tile::kHasPlanes;
      add_planes(list, planes);
    }
    if (list.size() < kWorthCounting || list.size() > kMaxRun)
      sort_runs(list, planes);
    else
      count_runs(list, planes);
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

  /// Appends the runs of the postings that the planes do not hold. Any list.
  void sort_runs(std::span<const Posting> list, std::uint32_t planes) {
    rest_.clear();
    for (const Posting posting : list)
      if (count_of(posting) > planes) rest_.push_back(posting);
    std::sort(rest_.begin(), rest_.end());
    append_runs(rest_);
  }

  /// The same for at most kMaxRun postings: since documents ascend already, a counting sort.
  void count_runs(std::span<const Posting> list, std::uint32_t planes) {
    std::array<std::size_t, kFewCounts> next{};  // how many have this count, then where they go
    rest_.clear();
    for (const Posting posting : list) {
      const std::uint32_t count = count_of(posting);
      if (count >= kFewCounts && count > planes) rest_.push_back(posting);
      if (count < kFewCounts) ++next[count];
    }
    std::size_t end = tile_.postings.size();
    tile_.postings.resize(end + list.size() + 2 * kFewCounts);
    for (std::uint32_t count = planes + 1; count < kFewCounts; ++count) {
      const std::size_t length = next[count];
      if (length == 0) continue;
      tile_.postings[end] = static_cast<std::uint16_t>(count);
      tile_.postings[end + 1] = static_cast<std::uint16_t>(length);
      next[count] = end + 2;
      end += 2 + length;
    }
    for (const Posting posting : list) {
      const std::uint32_t count = count_of(posting);
      if (count > planes && count < kFewCounts)
        tile_.postings[next[count]++] = document_of(posting);
    }
    tile_.postings.resize(end);
    std::sort(rest_.begin(), rest_.end());
    append_runs(rest_);
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

  void check_stop() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw TilesStopped{};
  }

  [[noreturn]] void refuse() const {
    throw Error(Errc::kUnsupported,
                std::to_string(tile_.documents) + " rows in a tile have too many entries");
  }

  std::uint32_t offset() const {
    if (tile_.postings.size() >= Tile::kHasPlanes) refuse();
    return static_cast<std::uint32_t>(tile_.postings.size());
  }

  const MirrorRows& mirror_;
  double plane_density_;
  const std::atomic<bool>* stop_;
  Tile tile_;
  std::vector<std::uint32_t> begin_;  // [columns + 1] of postings_
  std::vector<Posting> postings_;
  std::vector<Posting> rest_;
};

/// The first rows of the tiles for the rows from `first` on, then the number of rows. A tile ends
/// when it has enough documents or, at a multiple of the padding, enough entries.
std::vector<std::uint32_t> cut(const MirrorRows& mirror, std::uint32_t first,
                               std::uint32_t documents) {
  std::vector<std::uint32_t> cuts{first};
  std::uint64_t entries = 0;  // since the last cut
  for (std::uint64_t row = first; row < mirror.places(); row += Tile::kPadding) {
    const std::uint64_t next = std::min<std::uint64_t>(row + Tile::kPadding, mirror.places());
    std::uint64_t more = 0;
    for (std::uint64_t r = row; r < next; ++r) more += mirror[static_cast<std::uint32_t>(r)].size;
    const bool full = next - cuts.back() > documents || entries + more > kTileEntries;
    if (full && row > cuts.back()) {
      cuts.push_back(static_cast<std::uint32_t>(row));
      entries = 0;
    }
    entries += more;
  }
  if (mirror.places() > first) cuts.push_back(mirror.places());
  return cuts;
}

/// Removes the last tiles, which are to be rebuilt when the mirror grows to `rows`. These are
/// small, or at most twice as large as what follows them, and fit into one tile with it. Returns
/// the first row that then has no tile.
std::uint32_t take_off_tail(std::vector<TilePart>& tiles, std::uint32_t rows,
                            std::uint32_t documents) {
  std::uint32_t first =
      tiles.empty() ? 0 : tiles.back().end_place() / Tile::kPadding * Tile::kPadding;
  while (!tiles.empty()) {
    TilePart& last = tiles.back();
    last.documents = first - last.tile->first_place;
    const std::uint64_t after = rows - first;
    const bool small = last.documents <= std::max<std::uint64_t>(kSmallTile, 2 * after);
    if (last.documents > 0 && (!small || last.documents + after > documents)) break;
    first = last.tile->first_place;
    tiles.pop_back();
  }
  return first;
}

/// True if a quarter of the documents that were alive when the tile was made has died since.
bool worn_out(const Tile& tile, const MirrorRows& mirror) {
  const std::uint32_t dead = mirror.count_dead(tile.first_place, tile.first_place + tile.documents);
  const std::uint64_t died = dead - tile.dead;
  return died > 0 && 4 * died >= tile.documents - tile.dead;
}

}  // namespace

std::size_t Tile::bytes() const {
  return sizeof(Tile) + start.capacity() * sizeof(start[0]) +
         postings.capacity() * sizeof(postings[0]) + planes.capacity() * sizeof(planes[0]);
}

std::vector<TilePart> build_tiles(const MirrorRows& mirror, const TileLayout& layout,
                                  std::size_t threads) {
  return refresh_tiles({}, mirror, layout, threads);
}

std::vector<TilePart> refresh_tiles(const std::vector<TilePart>& tiles, const MirrorRows& mirror,
                                    const TileLayout& layout, std::size_t threads,
                                    const std::atomic<bool>* stop) {
  struct Job {
    std::size_t place;
    std::uint32_t first, last;
  };
  std::vector<TilePart> result = tiles;
  std::vector<std::uint32_t> cuts;
  if (mirror.places() > (tiles.empty() ? 0 : tiles.back().end_place()))
    cuts = cut(mirror, take_off_tail(result, mirror.places(), layout.documents), layout.documents);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (worn_out(*result[i].tile, mirror))
      jobs.push_back({i, result[i].tile->first_place, result[i].end_place()});
  for (std::size_t i = 1; i < cuts.size(); ++i)
    jobs.push_back({result.size() + i - 1, cuts[i - 1], cuts[i]});
  result.resize(result.size() + (cuts.empty() ? 0 : cuts.size() - 1));
  for_each_item(jobs.size(), threads, [&](std::size_t i) {
    const auto [place, first, last] = jobs[i];
    TileBuilder builder(mirror, first, last, layout.plane_density, stop);
    result[place] = {std::make_shared<const Tile>(builder.build()), last - first};
  });
  return result;
}

}  // namespace kindred::cpu
