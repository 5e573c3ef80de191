#include "plugin/topics/places.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/string_table.h"

namespace kindred {
namespace {

std::string listed(const std::vector<std::string>& prefixes) {
  std::string list;
  for (const std::string& prefix : prefixes) list += (list.empty() ? "'" : ", '") + prefix + "'";
  return list;
}

}  // namespace

RowPlacer::RowPlacer(const Mirror& mirror, const TopicMap& map) : mirror_(mirror), map_(map) {
  if (map.origin.prefixes != mirror.prefixes)
    throw Error(Errc::kInvalidArgument, "the map was made of terms under " +
                                            listed(map.origin.prefixes) + ", but the index has " +
                                            listed(mirror.prefixes) + "; train it again");
  column_of_.reserve(mirror.df.size());
  for (std::uint32_t term = 0; term < mirror.df.size(); ++term)
    column_of_.push_back(map.terms->find(mirror.vocabulary[term]).value_or(kNone));
}

TopicPlacement RowPlacer::place(std::uint32_t row) const {
  MapCounts counts;
  const RowCounts::Row stored = mirror_.counts[row];
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::uint32_t column = column_of_[stored.columns[i]];
    if (column == kNone) {
      counts.strange.push_back(stored.counts[i]);
    } else {
      counts.known.emplace_back(column, stored.counts[i]);
    }
  }
  return map_.place(std::move(counts));
}

std::vector<TopicPlacement> RowPlacer::place(std::span<const std::uint32_t> rows,
                                             std::size_t threads) const {
  constexpr std::size_t kBlock = 64;
  std::vector<TopicPlacement> places(rows.size());
  for_each_chunk(rows.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) places[i] = place(rows[i]);
  });
  return places;
}

std::vector<PlacedDocument> place_documents(const Mirror& mirror, const TopicMap& map,
                                            std::size_t threads, const RowSet* only) {
  RowSet present = RowSet::all(mirror.rows());
  if (only != nullptr) present &= *only;
  const std::vector<std::uint32_t> rows = present.to_vector();
  const std::vector<TopicPlacement> found = RowPlacer(mirror, map).place(rows, threads);
  std::vector<PlacedDocument> places;
  places.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    places.push_back({mirror.docids[rows[i]], mirror.id_of(rows[i]), found[i]});
  return places;
}

}  // namespace kindred
