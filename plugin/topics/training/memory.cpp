#include "plugin/topics/training/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/som/grid.h"

namespace kindred {
namespace {

/// The number at the beginning of the text, after spaces. Nothing if there is none.
std::optional<std::uint64_t> number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return {};
  return number;
}

/// The number after a key in a file of lines "KEY NUMBER ...", or, without one, "NUMBER ...".
std::optional<std::uint64_t> number_after(const char* path, std::string_view key = "") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return number_at(std::string_view(line).substr(key.size()));
  return {};
}

std::uint64_t rest(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// The page cache of a control group can be reclaimed, so only anonymous memory counts as used.
std::optional<std::uint64_t> free_in_group() {
  const auto limit = number_after("/sys/fs/cgroup/memory.max");  // or "max"
  const auto used = number_after("/sys/fs/cgroup/memory.stat", "anon ");
  if (!limit || !used) return {};
  return rest(*limit, *used);
}

std::optional<std::uint64_t> free_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const auto pages = number_after("/proc/self/statm");
  if (!pages) return {};
  return rest(limit.rlim_cur, *pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::optional<std::uint64_t> free_in_machine() {
  const auto kilobytes = number_after("/proc/meminfo", "MemAvailable: ");
  if (!kilobytes) return {};
  return *kilobytes << 10;
}

std::string readable(std::uint64_t bytes) {
  const bool large = bytes >= std::uint64_t{1} << 30;
  const double units = static_cast<double>(bytes) / (large ? 1 << 30 : 1 << 20);
  return number_text(std::round(units * 10) / 10) + (large ? " GiB" : " MiB");
}

}  // namespace

std::uint64_t TopicMemory::bytes() const {
  constexpr std::uint64_t kNarrowRows = SomGrid::kNarrowRows;
  const std::uint64_t codebooks = (on_device ? 1 : 3) + (warm ? 1 : 0);
  const std::uint64_t wide = on_device ? 0 : std::min(units, documents / (kNarrowRows + 1));
  return terms * (units * sizeof(float) * codebooks + wide * sizeof(std::int64_t));
}

std::optional<std::uint64_t> free_memory() {
  std::optional<std::uint64_t> least;
  for (const auto free : {free_in_machine(), free_in_group(), free_addresses()})
    if (free) least = std::min(*free, least.value_or(UINT64_MAX));
  return least;
}

void check_memory(const TopicMemory& memory, std::int64_t limit_mb) {
  const std::uint64_t needed = memory.bytes();
  std::optional<std::uint64_t> limit = static_cast<std::uint64_t>(limit_mb) << 20;
  if (limit_mb == 0) limit = free_memory();
  if (!limit || needed <= *limit) return;
  throw Error(Errc::kOutOfMemory,
              "topics: a map of " + std::to_string(memory.units) + " units over " +
                  std::to_string(memory.terms) + " terms takes " + readable(needed) +
                  " of memory to train, but " + readable(*limit) +
                  (limit_mb == 0 ? " are free" : " are allowed (topics.memory_mb)") +
                  "; expected a smaller map (--rows, --columns) or fewer terms (topics.min_df)");
}

}  // namespace kindred
