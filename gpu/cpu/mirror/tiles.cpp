#include "gpu/cpu/mirror/tiles.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint64_t kTileEntries = std::uint64_t{1} << 28;  // keeps offsets below the top bit
constexpr std::uint32_t kSmallTile = 4096;  // documents; soon rebuilt with what follows
constexpr std::uint32_t kShortRun = 12;     // postings; fewer are quicker with a count for each

/// A document that has a term, by its number in the tile.
struct Posting {
  std::uint16_t document, count;
};

class TileBuilder {
  static constexpr std::uint32_t kInMixed = ~std::uint32_t{0};

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
        postings_[next[row.column[i]]++] = {static_cast<std::uint16_t>(d), row.count[i]};
    }
  }

  void add_term(std::uint32_t term, std::span<const Posting> list) {
    tile_.start[term] = offset();
    counts_.clear();
    for (const auto [document, count] : list)
      if (with_count_[count]++ == 0) counts_.push_back(count);
    const std::uint32_t planes = count_planes(list.size());
    if (planes > 0) {
      tile_.start[term] |= Tile::kHasPlanes;
      add_planes(list, planes);
    }
    add_runs(list, planes);
    for (const std::uint16_t count : counts_) with_count_[count] = 0;
  }

  /// The number of planes that saves most. A plane costs as much as the postings with which it is
  /// as full as the layout asks, and saves those of its count.
  std::uint32_t count_planes(std::size_t postings) const {
    const double cost = plane_density_ * tile_.documents;
    double held = 0, saved = 0;
    std::uint32_t planes = 0;
    for (std::uint32_t n = 1; n * cost <= static_cast<double>(postings); ++n) {
      held += with_count_[n];
      if (held - n * cost < saved) continue;
      saved = held - n * cost;
      planes = n;
    }
    return planes;
  }

  void add_planes(std::span<const Posting> list, std::uint32_t planes) {
    const std::size_t words = tile_.plane_words();
    const std::size_t first = tile_.planes.size() / words;
    tile_.planes.resize(tile_.planes.size() + planes * words);
    for (const auto [document, count] : list) {
      for (std::uint32_t j = 0; j < std::min<std::uint32_t>(count, planes); ++j) {
        std::uint16_t& word = tile_.planes[(first + j) * words + document / 16];
        word = static_cast<std::uint16_t>(word | 1u << document % 16);
      }
    }
    for (const std::size_t header : {std::size_t{planes}, first & 0xFFFF, first >> 16})
      tile_.postings.push_back(static_cast<std::uint16_t>(header));
  }

  /// Appends the runs of the postings that the planes do not hold. Then with_count_ is the place
  /// after the last posting of a count, or kInMixed.
  void add_runs(std::span<const Posting> list, std::uint32_t planes) {
    std::vector<std::uint16_t>& postings = tile_.postings;
    const auto begin_run = [&](std::uint16_t count, std::size_t length, std::size_t words) {
      postings.push_back(count);
      postings.push_back(static_cast<std::uint16_t>(length));
      postings.resize(postings.size() + words);
      return static_cast<std::uint32_t>(postings.size() - words);
    };
    const auto few = std::partition(counts_.begin(), counts_.end(), [&](std::uint16_t count) {
      return with_count_[count] >= kShortRun || with_count_[count] == list.size();
    });
    std::sort(counts_.begin(), few);
    for (auto count = std::upper_bound(counts_.begin(), few, planes); count != few; ++count)
      with_count_[*count] = begin_run(*count, with_count_[*count], with_count_[*count]);
    std::size_t mixed = 0;
    for (auto count = few; count != counts_.end(); ++count) {
      if (*count <= planes) continue;
      mixed += with_count_[*count];
      with_count_[*count] = kInMixed;
    }
    std::uint32_t next = mixed > 0 ? begin_run(Tile::kMixed, mixed, 2 * mixed) : 0;
    for (const auto [document, count] : list) {
      if (count <= planes) continue;
      std::uint32_t& place = with_count_[count];
      if (place == kInMixed) postings[next + mixed] = count;
      postings[place == kInMixed ? next++ : place++] = document;
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
  std::vector<std::uint16_t> counts_;  // of the term, each once
  // [kMaxCount + 1] how many postings of the term have this count; 0 between terms
  std::vector<std::uint32_t> with_count_ = std::vector<std::uint32_t>(kMaxCount + 1);
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
