#include "gpu/cpu/tiles.h"

#include <algorithm>
#include <span>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred::cpu {
namespace {

constexpr std::uint64_t kTileEntries = std::uint64_t{1} << 28;  // keeps offsets below the top bit
constexpr std::uint32_t kShortRun = 12;  // postings; fewer are quicker with a count for each

/// A document that has a term, by its number in the tile.
struct Posting {
  std::uint16_t document;
  std::uint16_t count;
};

class TileBuilder {
  static constexpr std::uint32_t kInMixed = ~std::uint32_t{0};

 public:
  TileBuilder(const CsrView& rows, std::uint32_t first, std::uint32_t last, double plane_density,
              const std::atomic<bool>* stop)
      : rows_(rows), plane_density_(plane_density), stop_(stop) {
    tile_.first_row = first;
    tile_.documents = last - first;
  }

  Tile build() {
    invert();

    // Lists of all terms, one after the other. Runs take two words more each, so room for half as
    // many more is nearly always enough.
    tile_.postings.reserve(postings_.size() + postings_.size() / 2);
    tile_.start.resize(std::size_t{rows_.columns} + 1);

    for (std::uint32_t t = 0; t < rows_.columns; ++t) {
      if (begin_[t] != begin_[t + 1]) check_stop();
      add_term(t, std::span(postings_).subspan(begin_[t], begin_[t + 1] - begin_[t]));
    }

    tile_.start[rows_.columns] = offset();
    tile_.postings.shrink_to_fit();
    tile_.planes.shrink_to_fit();
    return std::move(tile_);
  }

 private:
  /// Lists every term's postings, by document: a counting sort over the tile's entries.
  void invert() {
    std::vector<std::uint32_t> next(std::size_t{rows_.columns} + 1);
    for (std::uint32_t d = 0; d < tile_.documents; ++d) {
      check_stop();
      for (const std::uint32_t column : entries_of(rows_, tile_.first_row + d).columns)
        ++next[column + std::size_t{1}];
    }

    // The running sum turns the counts into offsets. These have 31 bits in a tile.
    std::uint64_t entries = 0;
    for (std::uint32_t& count : next) {
      entries += count;
      if (entries >= Tile::kHasPlanes) refuse();
      count = static_cast<std::uint32_t>(entries);
    }

    // `next` moves on with each posting; documents are taken in order, so each list ascends.
    begin_ = next;
    postings_.resize(next.back());
    for (std::uint32_t d = 0; d < tile_.documents; ++d) {
      check_stop();
      const RowEntries row = entries_of(rows_, tile_.first_row + d);
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::uint32_t& place = next[row.columns[i]];
        postings_[place] = {static_cast<std::uint16_t>(d), row.counts[i]};
        ++place;
      }
    }
  }

  void add_term(std::uint32_t term, std::span<const Posting> list) {
    tile_.start[term] = offset();

    // Counts how often each count occurs, and lists those that do.
    counts_.clear();
    for (const auto [document, count] : list) {
      if (with_count_[count] == 0) counts_.push_back(count);
      ++with_count_[count];
    }

    // Planes hold the low counts where these are frequent, and runs what planes leave.
    const std::uint32_t planes = count_planes(list.size());
    if (planes > 0) {
      tile_.start[term] |= Tile::kHasPlanes;
      add_planes(list, planes);
    }
    add_runs(list, planes);

    // The table has as many entries as counts are possible, so only those in use are set to 0
    // again.
    for (const std::uint16_t count : counts_) with_count_[count] = 0;
  }

  /// The number of planes that saves most. A plane costs as much as the postings with which it is
  /// as full as the layout asks, and saves those of its count.
  std::uint32_t count_planes(std::size_t postings) const {
    const double cost = plane_density_ * tile_.documents;

    // No more planes than could hold enough postings, even if each had all that there are.
    double held = 0;
    double saved = 0;
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

    // A document is in the planes of all counts up to its own.
    for (const auto [document, count] : list) {
      for (std::uint32_t j = 0; j < std::min<std::uint32_t>(count, planes); ++j) {
        std::uint16_t& word = tile_.planes[(first + j) * words + document / 16];
        word = static_cast<std::uint16_t>(word | 1u << document % 16);
      }
    }

    // The list begins with what finds the planes; the number of the first is cut in two words.
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

    // Counts that fill a run get one of their own, even a short one if it is all that there is. The
    // others share the mixed run, which is ordered by document.
    const auto few = std::partition(counts_.begin(), counts_.end(), [&](std::uint16_t count) {
      return with_count_[count] >= kShortRun || with_count_[count] == list.size();
    });

    // Runs ascend by count, and the lowest counts are in the planes. Places are laid out before any
    // posting is written, so with_count_ can change its meaning here.
    std::sort(counts_.begin(), few);
    const auto beyond_planes = std::upper_bound(counts_.begin(), few, planes);
    for (auto count = beyond_planes; count != few; ++count)
      with_count_[*count] = begin_run(*count, with_count_[*count], with_count_[*count]);

    // The mixed run comes last, whatever its counts are.
    std::size_t mixed = 0;
    for (auto count = few; count != counts_.end(); ++count) {
      if (*count <= planes) continue;
      mixed += with_count_[*count];
      with_count_[*count] = kInMixed;
    }
    std::uint32_t next = 0;
    if (mixed > 0) next = begin_run(Tile::kMixed, mixed, 2 * mixed);

    // One pass over the list fills all runs, each in the order of documents. In the mixed run,
    // counts follow after all documents.
    for (const auto [document, count] : list) {
      if (count <= planes) continue;
      std::uint32_t& place = with_count_[count];
      if (place == kInMixed) {
        postings[next] = document;
        postings[next + mixed] = count;
        ++next;
      } else {
        postings[place] = document;
        ++place;
      }
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

  const CsrView& rows_;
  double plane_density_;
  const std::atomic<bool>* stop_;
  Tile tile_;
  std::vector<std::uint32_t> begin_;  // [columns + 1] of postings_
  std::vector<Posting> postings_;
  std::vector<std::uint16_t> counts_;  // of the term, each once
  // [kMaxCount + 1] how many postings of the term have this count; 0 between terms
  std::vector<std::uint32_t> with_count_ = std::vector<std::uint32_t>(kMaxCount + 1);
};

/// The first rows of the tiles of a segment, then the number of rows. A tile ends when it has
/// enough documents or, at a multiple of the padding, enough entries.
std::vector<std::uint32_t> cut(const CsrView& rows, std::uint32_t documents) {
  std::vector<std::uint32_t> cuts{0};
  std::uint64_t entries = 0;  // since the last cut

  for (std::uint64_t row = 0; row < rows.rows; row += Tile::kPadding) {
    const std::uint64_t next = std::min<std::uint64_t>(row + Tile::kPadding, rows.rows);
    const std::uint64_t more = rows.row_begin[next] - rows.row_begin[row];
    const bool full = next - cuts.back() > documents || entries + more > kTileEntries;

    // A tile is never empty, even if one group alone has too many entries.
    if (full && row > cuts.back()) {
      cuts.push_back(static_cast<std::uint32_t>(row));
      entries = 0;
    }
    entries += more;
  }
  cuts.push_back(rows.rows);
  return cuts;
}

}  // namespace

std::size_t Tile::bytes() const {
  return sizeof(Tile) + start.capacity() * sizeof(start[0]) +
         postings.capacity() * sizeof(postings[0]) + planes.capacity() * sizeof(planes[0]);
}

std::vector<std::size_t> slots_of(const SegmentList& mirror) {
  std::vector<std::size_t> first{0};
  for (const SegmentList::Part& part : mirror.parts()) {
    const std::size_t rows = part.segment->counts.rows;
    first.push_back(first.back() + (rows + Tile::kPadding - 1) / Tile::kPadding * Tile::kPadding);
  }
  return first;
}

Tiles make_tiles(const Tiles& former, const SegmentList& mirror, const TileLayout& layout,
                 std::size_t threads, const std::atomic<bool>* stop) {
  struct Job {
    std::size_t number;
    std::uint32_t first;
    std::uint32_t last;
  };
  Tiles result;
  std::vector<Job> jobs;
  const std::vector<std::size_t> first_slot = slots_of(mirror);

  // Tiles of a segment that the former mirror had are taken as they are: placed anew, but not made.
  for (std::size_t i = 0; i < mirror.parts().size(); ++i) {
    const auto& [segment, first_place] = mirror.parts()[i];
    const std::size_t before = result.size();
    for (const PlacedTile& known : former)
      if (known.segment == segment)
        result.push_back({segment, known.tile, first_place + known.tile->first_row,
                          first_slot[i] + known.tile->first_row});
    if (result.size() > before) continue;

    // The others are laid out in order now and made below, each by any thread.
    const std::vector<std::uint32_t> cuts = cut(segment->counts, layout.documents);
    for (std::size_t c = 1; c < cuts.size(); ++c) {
      jobs.push_back({result.size(), cuts[c - 1], cuts[c]});
      result.push_back({segment, nullptr, first_place + cuts[c - 1], first_slot[i] + cuts[c - 1]});
    }
  }

  // Each tile has its own place in the result already, so threads write to different ones.
  for_each_item(jobs.size(), threads, [&](std::size_t i) {
    const auto [number, first, last] = jobs[i];
    TileBuilder builder(result[number].segment->counts, first, last, layout.plane_density, stop);
    result[number].tile = std::make_shared<const Tile>(builder.build());
  });
  return result;
}

}  // namespace kindred::cpu
