#include "plugin/store/database_walk.h"

#include <algorithm>
#include <utility>

#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/zim_file.h"

namespace kindred {

std::optional<std::vector<std::string>> shard_folders(const std::string& path, std::string& why) {
  if (is_zim(path)) return std::vector{path};
  const auto addresses = shard_addresses(path, why);
  if (!addresses) return std::nullopt;

  std::vector<std::string> folders;
  for (const ShardAddress& address : *addresses) {
    if (address.is_remote()) return std::nullopt;
    folders.push_back(address.folder);
  }
  return folders;
}

std::vector<Xapian::Database> open_shards(const std::string& path, bool must_copy) {
  std::string ignored;
  const auto folders = shard_folders(path, ignored);
  if (!folders || folders->size() < 2) return {};

  std::vector<Xapian::Database> shards;
  for (const std::string& folder : *folders) {
    const auto copy = copied_if_busy(folder, must_copy);
    shards.push_back(copy ? *copy : open_database(folder));
    if (shards.back().size() != 1) return {};  // it is a stub itself
  }
  return shards;
}

std::optional<DatabaseState> read_database_state(const std::string& path, std::string& why) {
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

bool still_at(const std::string& path, const DatabaseState& state) {
  std::string why;
  const auto folders = shard_folders(path, why);
  if (!folders || folders->size() != state.size()) return false;
  for (std::size_t shard = 0; shard < state.size(); ++shard)
    if (!still_at((*folders)[shard], state[shard])) return false;
  return true;
}

bool same_revisions(const DatabaseState& a, const DatabaseState& b) {
  return std::ranges::equal(a, b, same_revision);
}

}  // namespace kindred
