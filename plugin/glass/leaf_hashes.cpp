#include "plugin/glass/leaf_hashes.h"

#include <xxhash.h>
#include <algorithm>

#include "config/error.h"

namespace kindred {

void LeafHashes::add(const GlassBlock& leaf) {
  for (std::size_t i = 0; i < leaf.items(); ++i) {
    const GlassBlock::LeafItem item = leaf.leaf_item(i);
    if (item.key.empty()) continue;  // the first item of the table
    const Xapian::docid document = key_document(item.key);
    if (documents_.empty() || documents_.back().document < document) {
      documents_.push_back({document, 0});
    } else if (documents_.back().document > document) {
      throw Error(Errc::kCorrupt, "the documents of leaves do not ascend");
    }
    std::uint64_t& hash = documents_.back().hash;
    hash = XXH3_64bits_withSeed(item.bytes.data(), item.bytes.size(), hash);
  }
}

std::optional<std::uint64_t> LeafHashes::find(Xapian::docid document) const {
  const auto at = std::lower_bound(
      documents_.begin(), documents_.end(), document,
      [](const DocumentHash& one, Xapian::docid wanted) { return one.document < wanted; });
  if (at == documents_.end() || at->document != document) return std::nullopt;
  return at->hash;
}

/// Glass writes a block at once, from its first byte on, and its revision is in the first bytes. So
/// if the revision is still old after the block was read, the block was not being written before.
std::optional<GlassBlock> read_old_leaf(const GlassFile& file, std::uint32_t number,
                                        std::uint64_t revision) {
  try {
    GlassBlock leaf = file.block(number);
    const GlassBlock again = file.block_header(number);
    const bool is_old = leaf.level() == 0 && again.level() == 0 && leaf.revision() <= revision &&
                        again.revision() == leaf.revision();
    if (is_old) return leaf;
  } catch (const Error&) {  // another table's revision may lie there, half written
  }
  return std::nullopt;
}

}  // namespace kindred
