#include "plugin/topics/document_placer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/workers.h"
#include "plugin/store/string_table.h"

namespace kindred {
namespace {

std::string listed(const std::vector<std::string>& prefixes) {
  std::string list;
  for (const std::string& prefix : prefixes) append_item(list, "'" + prefix + "'");
  return list;
}

}  // namespace

DocumentPlacer::DocumentPlacer(const Mirror& mirror, const TopicMap& map)
    : mirror_(mirror), map_(map) {
  if (map.origin.prefixes != mirror.prefixes)
    throw Error(Errc::kInvalidArgument, "the map was made of terms under " +
                                            listed(map.origin.prefixes) + ", but the index has " +
                                            listed(mirror.prefixes) + "; train it again");

  // The terms are looked up once, since all documents have the same ones.
  column_of_.reserve(mirror.df.size());
  for (std::uint32_t term = 0; term < mirror.df.size(); ++term)
    column_of_.push_back(map.terms->find(mirror.dictionary[term]).value_or(kNone));
}

TopicPlacement DocumentPlacer::place(Xapian::docid docid) const {
  MapCounts counts;
  const RowEntries stored = mirror_.terms_of(docid);
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

std::vector<TopicPlacement> DocumentPlacer::place(std::span<const Xapian::docid> docids,
                                                  std::size_t threads, const Pulse& pulse) const {
  constexpr std::size_t kBlock = 64;
  std::vector<TopicPlacement> placements(docids.size());
  for_each_chunk(docids.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      pulse();
      placements[i] = place(docids[i]);
    }
  });
  return placements;
}

std::vector<PlacedDocument> place_documents(const Mirror& mirror, const TopicMap& map,
                                            std::span<const Xapian::docid> docids,
                                            std::size_t threads, const Pulse& pulse) {
  // In parallel first; ids are read by one thread, as they come from the index.
  const std::vector<TopicPlacement> found =
      DocumentPlacer(mirror, map).place(docids, threads, pulse);

  std::vector<PlacedDocument> placed;
  placed.reserve(docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i) {
    pulse();
    placed.push_back({docids[i], mirror.id_of(docids[i]), found[i]});
  }
  return placed;
}

}  // namespace kindred
