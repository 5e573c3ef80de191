#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/pulse.h"
#include "plugin/documents/topic_placement.h"
#include "plugin/mirror/mirror.h"
#include "plugin/store/origin.h"
#include "plugin/topics/topic_map.h"

namespace kindred {

/// Places the documents of a mirror. The places are those of TopicMap::place(), but each term is
/// looked up only once. Any number of threads may use it.
class DocumentPlacer {
 public:
  /// Both are borrowed.
  /// @throws Error kInvalidArgument if the map was made of terms under other prefixes.
  DocumentPlacer(const Mirror& mirror, const TopicMap& map);

  std::size_t bytes() const { return column_of_.capacity() * sizeof(std::uint32_t); }

  TopicPlacement place(Xapian::docid docid) const;

  /// place() of each document, on up to `threads` threads.
  std::vector<TopicPlacement> place(std::span<const Xapian::docid> docids, std::size_t threads,
                                    const Pulse& pulse = {}) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  const Mirror& mirror_;
  const TopicMap& map_;
  std::vector<std::uint32_t> column_of_;  // term of the mirror -> column of the map, or kNone
};

/// A document of the index and where it lies.
struct PlacedDocument {
  Xapian::docid docid = 0;
  std::string id;
  TopicPlacement place;
};

/// Where documents of one snapshot lie on one map.
struct PlacedDocuments : Origin {
  std::shared_ptr<const TopicMap> map;
  std::vector<PlacedDocument> documents;  ///< docid ascending
};

/// The places of documents of a mirror, found on up to `threads` threads. @throws Error as
/// DocumentPlacer.
std::vector<PlacedDocument> place_documents(const Mirror& mirror, const TopicMap& map,
                                            std::span<const Xapian::docid> docids,
                                            std::size_t threads, const Pulse& pulse = {});

}  // namespace kindred
