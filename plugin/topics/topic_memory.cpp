#include "plugin/topics/topic_memory.h"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/som/grid.h"

namespace kindred {
namespace {

/// The number after a key, and spaces, in a file of lines "KEY NUMBER ...", or, without one,
/// "NUMBER ...". Nothing if there is none.
std::optional<std::uint64_t> number_after(const char* path, std::string_view key = "") {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = std::min(line.find_first_not_of(' ', key.size()), line.size());
    std::uint64_t number = 0;
    const auto read = std::from_chars(line.data() + begin, line.data() + line.size(), number);
    if (read.ec == std::errc()) return std::optional(number);
    return std::nullopt;
  }
  return {};
}

std::uint64_t rest(std::uint64_t limit, std::uint64_t used) {
  if (limit > used) return limit - used;
  return 0;
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

/// How many bytes this process can still take: the least that the machine, its control group
/// (version 2) and its limit of address space (RLIMIT_AS) allow. Empty if the system does not tell.
std::optional<std::uint64_t> free_memory() {
  std::optional<std::uint64_t> least;
  for (const auto free : {free_in_machine(), free_in_group(), free_addresses()})
    if (free) least = std::min(*free, least.value_or(UINT64_MAX));
  return least;
}

std::string readable(std::uint64_t bytes) {
  const auto in_units_of = [&](int unit) {
    const double units = static_cast<double>(bytes) / unit;
    return number_text(std::round(units * 10) / 10);
  };
  if (bytes >= std::uint64_t{1} << 30) return in_units_of(1 << 30) + " GiB";
  return in_units_of(1 << 20) + " MiB";
}

}  // namespace

std::uint64_t TopicMemory::bytes() const {
  // Whole codebooks in main memory: on the CPU the weights, the sums and the result, beside a
  // device the result alone; and the start, if there is one. Units of many documents also have sums
  // of 8 bytes.
  constexpr std::uint64_t kNarrowRows = SomGrid::kNarrowRows;
  const std::uint64_t own = on_device ? 1 : 3;
  const std::uint64_t codebooks = warm ? own + 1 : own;
  const std::uint64_t wide = on_device ? 0 : std::min(units, documents / (kNarrowRows + 1));
  return terms * (units * sizeof(float) * codebooks + wide * sizeof(std::int64_t));
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
