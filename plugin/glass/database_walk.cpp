#include "plugin/glass/database_walk.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestStub = 1 << 20;
constexpr std::uint64_t kLargestDocid = 0xffffffff;

/// The stub at a path: the file itself, or XAPIANDB in a folder. Nothing if there is none.
std::optional<fs::path> stub_at(const std::string& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return path;
  const fs::path inside = fs::path(path) / "XAPIANDB";
  if (fs::is_regular_file(inside, none)) return inside;
  return std::nullopt;
}

/// The folders that a stub lists, as Xapian reads it: lines of a type and a path, which is relative
/// to the stub. Nothing if it lists something else. @throws Error if it cannot be read.
std::optional<std::vector<std::string>> folders_of(const fs::path& stub) {
  std::vector<std::string> folders;
  std::istringstream lines(read_regular_file(stub.string(), "the stub", kLargestStub).bytes);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string type = line.substr(0, space);
    if (space == std::string::npos || (type != "auto" && type != "glass")) return std::nullopt;
    folders.push_back((stub.parent_path() / line.substr(space + 1)).string());
  }
  if (folders.empty()) return std::nullopt;
  return folders;
}

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

}  // namespace

std::optional<std::vector<std::string>> shard_folders(const std::string& path, std::string& why) {
  const auto stub = stub_at(path);
  if (!stub) return std::vector<std::string>{path};
  why = "it is neither a folder nor a stub that lists folders";
  try {
    return folders_of(*stub);
  } catch (const Error& e) {
    why = e.what();
  }
  return std::nullopt;
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

std::optional<DatabaseChanges> walk_database(const std::string& path, const DatabaseState& before,
                                             std::string& why) {
  const auto folders = shard_folders(path, why);
  if (!folders) return std::nullopt;
  if (folders->size() != before.size()) {
    why = "it has another number of shards";
    return std::nullopt;
  }
  DatabaseChanges all;
  for (std::size_t shard = 0; shard < before.size(); ++shard) {
    auto own = walk_changes((*folders)[shard], before[shard], why);
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
