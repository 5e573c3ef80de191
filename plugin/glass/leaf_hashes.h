#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugin/glass/block.h"
#include "plugin/glass/file.h"

namespace kindred {

/// What leaves of a termlist table hold of each document, as a hash of the bytes of all its items.
/// Equal hashes stand for equal bytes: two different ones agree once in 2^64.
class LeafHashes {
 public:
  struct DocumentHash {
    Xapian::docid document;
    std::uint64_t hash;
  };

  /// Adds the items of a leaf, whose keys come after those of the leaves before.
  /// @throws Error kCorrupt if it is damaged, or its documents do not ascend.
  void add(const GlassBlock& leaf);

  const std::vector<DocumentHash>& documents() const { return documents_; }  ///< docids ascending
  std::optional<std::uint64_t> find(Xapian::docid document) const;

 private:
  std::vector<DocumentHash> documents_;
};

/// A leaf that an older revision had, as it was. Nothing if a writer has used its number again
/// since, or is about to.
std::optional<GlassBlock> read_old_leaf(const GlassFile& file, std::uint32_t number,
                                        std::uint64_t revision);

}  // namespace kindred
