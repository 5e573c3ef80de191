#include "plugin/store/database_walk.h"

#include <algorithm>
#include <utility>

#include "plugin/store/database.h"
#include "plugin/store/zim.h"

namespace kindred {
namespace {

constexpr std::uint64_t kLargestDocid = 0xffffffff;

/// Adds what changed in shard `shard` of `shards`. False if its docids do not fit.
bool add_shard(const TermlistChanges& own, std::size_t shard, std::size_t shards,
               DatabaseChanges& all) {
  const auto global = [&](Xapian::docid docid) {
    return (std::uint64_t{docid} - 1) * shards + shard + 1;
  };
  for (const Xapian::docid docid : own.present) {
    if (global(docid) > kLargestDocid) return false;
    all.present.push_back(static_cast<Xapian::docid>(global(docid)));
  }
  for (const DocidRange& range : own.ranges) {
    const std::uint64_t first = global(std::max<Xapian::docid>(range.first, 1));
    if (first > kLargestDocid) continue;  // no document is there
    const std::uint64_t most = first + (kLargestDocid - first) / shards * shards;
    const std::uint64_t last = std::min(global(range.last), most);
    all.ranges.push_back({{static_cast<Xapian::docid>(first), static_cast<Xapian::docid>(last)},
                          static_cast<Xapian::docid>(shards)});
  }
  return true;
}

/// The index of a ZIM file, which never changes, but may be another one by now. Nothing for what is
/// no ZIM file.
std::optional<DatabaseState> zim_state(const std::string& path) {
  if (!is_zim(path)) return std::nullopt;
  const Xapian::Database database = open_zim(path);
  TermlistState state;
  state.uuid = database.get_uuid();
  state.revision = database.get_revision();
  state.documents = database.get_doccount();
  return DatabaseState{std::move(state)};
}

}  // namespace

std::optional<std::vector<std::string>> shard_folders(const std::string& path, std::string& why) {
  const auto places = shard_places(path, why);
  if (!places) return std::nullopt;
  std::vector<std::string> folders;
  for (const ShardPlace& place : *places) {
    if (place.is_remote()) return std::nullopt;
    folders.push_back(place.folder);
  }
  return folders;
}

std::vector<Xapian::Database> open_shards(const std::string& path) {
  std::string ignored;
  const auto folders = shard_folders(path, ignored);
  if (!folders || folders->size() < 2) return {};
  std::vector<Xapian::Database> shards;
  for (const std::string& folder : *folders) {
    shards.push_back(open_database(folder));
    if (shards.back().size() != 1) return {};  // it is a stub itself
  }
  return shards;
}

std::optional<DatabaseState> read_database_state(const std::string& path, std::string& why) {
  if (auto state = zim_state(path)) return state;
  const auto folders = shard_folders(path, why);
  if (!folders) return std::nullopt;
  DatabaseState state;
  for (const std::string& folder : *folders) {
    auto shard = read_termlist_state(folder, why);
    if (!shard) return std::nullopt;
    state.push_back(std::move(*shard));
  }
  return state;
}

std::optional<DatabaseProof> read_proof(const std::string& path, const DatabaseState& state,
                                        std::string& why, std::size_t threads) {
  if (zim_state(path)) return DatabaseProof(state.size());
  const auto folders = shard_folders(path, why);
  if (!folders) return std::nullopt;
  if (folders->size() != state.size()) {
    why = "it has another number of shards";
    return std::nullopt;
  }
  DatabaseProof proof;
  for (std::size_t shard = 0; shard < state.size(); ++shard) {
    auto checksums = read_checksums((*folders)[shard], state[shard], why, threads);
    if (!checksums) return std::nullopt;
    proof.push_back(std::move(*checksums));
  }
  return proof;
}

std::optional<DatabaseChanges> walk_database(const std::string& path, const DatabaseState& before,
                                             std::string& why, std::size_t threads,
                                             const DatabaseProof* proof) {
  if (auto now = zim_state(path)) {
    why = "it was replaced by another file";
    if (!same_revisions(*now, before)) return std::nullopt;
    return DatabaseChanges{std::move(*now), {}, {}};
  }
  const auto folders = shard_folders(path, why);
  if (!folders) return std::nullopt;
  if (folders->size() != before.size() || (proof != nullptr && proof->size() != before.size())) {
    why = "it has another number of shards";
    return std::nullopt;
  }
  DatabaseChanges all;
  for (std::size_t shard = 0; shard < before.size(); ++shard) {
    auto own = walk_changes((*folders)[shard], before[shard], why, threads,
                            proof == nullptr ? nullptr : &(*proof)[shard]);
    if (!own) return std::nullopt;
    if (!add_shard(*own, shard, before.size(), all)) {
      why = "its docids are too large";
      return std::nullopt;
    }
    all.now.push_back(std::move(own->now));
  }
  std::sort(all.present.begin(), all.present.end());
  return all;
}

bool still_at(const std::string& path, const DatabaseState& state) {
  if (const auto now = zim_state(path)) return same_revisions(*now, state);
  std::string why;
  const auto folders = shard_folders(path, why);
  if (!folders || folders->size() != state.size()) return false;
  for (std::size_t shard = 0; shard < state.size(); ++shard)
    if (!still_at((*folders)[shard], state[shard])) return false;
  return true;
}

bool same_revisions(const DatabaseState& a, const DatabaseState& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TermlistState& one, const TermlistState& other) {
                      return one.uuid == other.uuid && one.revision == other.revision;
                    });
}

}  // namespace kindred
