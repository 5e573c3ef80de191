#include "plugin/mirror/saved_state.h"

#include <string>

#include "config/error.h"
#include "plugin/store/packing.h"

namespace kindred {
namespace {

using Facts = nlohmann::json;

Facts shard_facts(const TermlistState& state) {
  return {{"uuid", state.uuid},
          {"revision", state.revision},
          {"device", state.device},
          {"inode", state.inode},
          {"documents", state.documents},
          {"leaves", state.leaves.size()},
          {"branches", state.branches.size()},
          {"root",
           {state.root.block, state.root.level, state.root.is_fake, state.root.entries,
            state.root.block_size}}};
}

std::vector<std::uint32_t> leaf_numbers(const DatabaseState& state) {
  std::vector<std::uint32_t> numbers;
  for (const TermlistState& shard : state)
    for (const TermlistState::Leaf& leaf : shard.leaves)
      numbers.insert(numbers.end(),
                     {leaf.block, leaf.begin.document, leaf.begin.is_inside ? 1u : 0u});
  return numbers;
}

std::vector<std::uint32_t> branch_numbers(const DatabaseState& state) {
  std::vector<std::uint32_t> numbers;
  for (const TermlistState& shard : state)
    for (const TermlistState::Branch& branch : shard.branches)
      numbers.insert(numbers.end(), {branch.block, branch.level, branch.first_leaf, branch.leaves});
  return numbers;
}

/// How many leaves and branches have been read.
struct BlocksRead {
  std::size_t leaves = 0, branches = 0;
};

[[noreturn]] void refuse(const std::string& fault) { throw Error(Errc::kCorrupt, fault); }

void take_blocks(const Facts& facts, const SavedState& saved, BlocksRead& read,
                 TermlistState& state) {
  const auto leaves = whole_number<std::uint32_t>(facts.at("leaves"));
  const auto branches = whole_number<std::uint32_t>(facts.at("branches"));
  if (leaves > (saved.leaves.size() - read.leaves) / 3 ||
      branches > (saved.branches.size() - read.branches) / 4)
    refuse("a shard has leaves or branches that are not there");
  for (std::uint32_t i = 0; i < leaves; ++i, read.leaves += 3) {
    const std::uint32_t* const leaf = saved.leaves.data() + read.leaves;
    state.leaves.push_back({leaf[0], {leaf[1], leaf[2] != 0}});
  }
  for (std::uint32_t i = 0; i < branches; ++i, read.branches += 4) {
    const std::uint32_t* const at = saved.branches.data() + read.branches;
    const TermlistState::Branch branch{at[0], at[1], at[2], at[3]};
    if (branch.first_leaf > leaves || branch.leaves > leaves - branch.first_leaf)
      refuse("a branch has leaves that are not there");
    state.branches.push_back(branch);
  }
}

}  // namespace

SavedState saved_state(const DatabaseState& state) {
  Facts shards = Facts::array();
  for (const TermlistState& shard : state) shards.push_back(shard_facts(shard));
  return {std::move(shards), leaf_numbers(state), branch_numbers(state)};
}

DatabaseState state_of(const SavedState& saved) {
  BlocksRead read;
  DatabaseState all;
  for (const Facts& facts : saved.facts) {
    TermlistState& state = all.emplace_back();
    state.uuid = facts.at("uuid").get<std::string>();
    state.revision = whole_number<std::uint64_t>(facts.at("revision"));
    state.device = whole_number<std::uint64_t>(facts.at("device"));
    state.inode = whole_number<std::uint64_t>(facts.at("inode"));
    state.documents = whole_number<std::uint64_t>(facts.at("documents"));
    const Facts& root = facts.at("root");
    state.root = {whole_number<std::uint32_t>(root.at(0)), whole_number<std::uint32_t>(root.at(1)),
                  root.at(2).get<bool>(), whole_number<std::uint64_t>(root.at(3)),
                  whole_number<std::uint32_t>(root.at(4))};
    take_blocks(facts, saved, read, state);
  }
  if (all.empty()) refuse("it has no shards");
  return all;
}

}  // namespace kindred
