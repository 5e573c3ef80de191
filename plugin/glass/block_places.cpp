#include "plugin/glass/block_places.h"

#include <algorithm>

#include "config/error.h"

namespace kindred {
namespace {

/// A table with more blocks is looked at only if it uses a part of them.
constexpr std::size_t kManyBlocks = std::size_t{1} << 24;
constexpr std::size_t kMostBlocksPerLeaf = 64;
constexpr std::size_t kMostLeaves = std::size_t{1} << 30;

}  // namespace

BlockPlaces::BlockPlaces(const TermlistState& state) : state_(state) {
  std::size_t blocks = 0;
  for (const auto& leaf : state.leaves) blocks = std::max(blocks, std::size_t{leaf.block} + 1);
  for (const auto& branch : state.branches) {
    blocks = std::max(blocks, std::size_t{branch.block} + 1);
    if (branch.level == 0 || branch.first_leaf > state.leaves.size() ||
        branch.leaves > state.leaves.size() - branch.first_leaf) {
      throw Error(Errc::kCorrupt, "the older state is damaged");
    }
  }
  if (state.leaves.size() >= kMostLeaves ||
      blocks > std::max(kManyBlocks, kMostBlocksPerLeaf * state.leaves.size())) {
    throw Error(Errc::kUnsupported, "the table has too many leaves, or too many free blocks");
  }
  places_.resize(blocks);
  for (std::size_t i = 0; i < state.leaves.size(); ++i) set(state.leaves[i].block, 2 * i + 1);
  for (std::size_t i = 0; i < state.branches.size(); ++i) set(state.branches[i].block, 2 * i + 2);
}

void BlockPlaces::set(std::uint32_t number, std::size_t place) {
  if (places_[number] != 0) throw Error(Errc::kCorrupt, "a block has two parents");
  places_[number] = static_cast<std::uint32_t>(place);
}

std::optional<BlockPlaces::Place> BlockPlaces::find(std::uint32_t number) const {
  const std::uint32_t place = number < places_.size() ? places_[number] : 0;
  if (place == 0) return std::nullopt;
  const std::size_t i = (place - 1) / 2;
  if (place % 2 == 1) return Place{0, i, 1, 0, 0};
  const TermlistState::Branch& branch = state_.branches[i];
  std::size_t end = i + 1;
  while (end < state_.branches.size() && state_.branches[end].level < branch.level) ++end;
  return Place{branch.level, branch.first_leaf, branch.leaves, i, end};
}

}  // namespace kindred
