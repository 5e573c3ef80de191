#include "plugin/store/database_walk.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/shard_addresses.h"
#include "plugin/store/terms.h"
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

std::vector<std::string> shard_labels(const std::string& path, const LabelSettings& settings) {
  if (settings.shards == "off") return {};
  std::string ignored;
  const auto folders = shard_folders(path, ignored);
  if (!folders || folders->size() < 2) return {};

  std::vector<std::filesystem::path> paths(folders->begin(), folders->end());
  std::vector<std::string> labels;
  if (settings.shards == "names") {
    for (const std::filesystem::path& shard : paths)
      labels.push_back(label_name(shard.filename().string()));
    return labels;
  }

  // Where the paths part, there are the folders, unless that is the shard itself.
  std::ptrdiff_t common = std::distance(paths.front().begin(), paths.front().end());
  for (const std::filesystem::path& shard : paths) {
    const auto [mine, first] = std::ranges::mismatch(shard, paths.front());
    common = std::min(common, std::distance(shard.begin(), mine));
  }

  for (const std::filesystem::path& shard : paths) {
    const auto folder = std::next(shard.begin(), common);
    const bool is_shard = folder == shard.end() || std::next(folder) == shard.end();
    const std::string name = is_shard ? "" : folder->string();
    const std::size_t begin = name.find_first_not_of('.');

    // Maildir++ has the first folder beside those that begin with a dot.
    if (is_shard) {
      labels.emplace_back();
    } else if (begin == std::string::npos || name == "fts-flatcurve") {
      labels.emplace_back("INBOX");
    } else {
      labels.push_back(label_name(name.substr(begin)));
    }
  }
  return labels;
}

namespace {

/// A folder that was listed may be gone by now, as any that a writer replaces.
Xapian::Database open_shard(const std::string& folder) {
  try {
    return open_database(folder);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    throw Xapian::DatabaseModifiedError(e.what());
  }
}

}  // namespace

std::vector<Xapian::Database> open_shards(const std::string& path, bool must_copy) {
  std::string ignored;
  const auto folders = shard_folders(path, ignored);
  if (!folders || folders->size() < 2) return {};

  std::vector<Xapian::Database> shards;
  for (const std::string& folder : *folders) {
    const auto copy = copied_if_busy(folder, must_copy);
    shards.push_back(copy ? *copy : open_shard(folder));
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
