#include "plugin/store/stub.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/store/database.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestStub = 1 << 20;

/// The stub at a path: the file itself, or XAPIANDB in a folder. Nothing if there is none.
std::optional<fs::path> stub_at(const std::string& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return path;
  const fs::path inside = fs::path(path) / "XAPIANDB";
  if (fs::is_regular_file(inside, none)) return inside;
  return std::nullopt;
}

/// "HOST:PORT". Nothing for what else Xapian knows: programs, and addresses with colons.
std::optional<ShardPlace> server_at(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  ShardPlace place;
  place.host = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data() + colon + 1, end, place.port);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return place;
}

std::optional<ShardPlace> place_in(const std::string& line, const fs::path& stub) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return std::nullopt;
  const std::string type = line.substr(0, space), where = line.substr(space + 1);
  if (type == "remote") return server_at(where);
  if (type != "auto" && type != "glass") return std::nullopt;
  ShardPlace place;
  place.folder = (stub.parent_path() / where).string();
  return place;
}

/// What a stub lists, as Xapian reads it: lines of a type and a path, which is relative to the
/// stub. Nothing if it lists something else. @throws Error if it cannot be read.
std::optional<std::vector<ShardPlace>> places_in(const fs::path& stub) {
  std::vector<ShardPlace> places;
  const FileContent file = read_regular_file(stub.string(), "the stub", kLargestStub);
  for (std::size_t at = 0, end = 0; at < file.bytes.size(); at = end + 1) {
    end = std::min(file.bytes.find('\n', at), file.bytes.size());
    const std::string line = file.bytes.substr(at, end - at);
    if (line.empty() || line.front() == '#') continue;
    const auto place = place_in(line, stub);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  if (places.empty()) return std::nullopt;
  return places;
}

}  // namespace

std::optional<std::vector<ShardPlace>> shard_places(const std::string& path, std::string& why) {
  const auto stub = stub_at(path);
  if (!stub) return std::vector<ShardPlace>{{path, "", 0}};
  why = "it is neither a folder nor a stub that lists folders";
  try {
    return places_in(*stub);
  } catch (const Error& e) {
    why = e.what();
  }
  return std::nullopt;
}

Xapian::WritableDatabase open_writable_shard(const ShardPlace& shard, const WriteSettings& write) {
  if (!shard.is_remote()) return open_writable_database(shard.folder, write);
  try {
    return Xapian::Remote::open_writable(shard.host, shard.port);
  } catch (const Xapian::Error& e) {
    throw database_error(e, shard.name() + ": cannot open the database for writing");
  }
}

}  // namespace kindred
