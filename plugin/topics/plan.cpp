#include "plugin/topics/plan.h"

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
#include "gpu/som/lattice.h"

namespace kindred {
namespace {

std::int64_t in_range(std::int64_t value, std::int64_t low, std::int64_t high, const char* name) {
  if (value >= low && value <= high) return value;
  throw Error(Errc::kInvalidArgument, std::string("topics: ") + name + " is " +
                                          std::to_string(value) + "; expected " +
                                          std::to_string(low) + " to " + std::to_string(high));
}

std::uint32_t usual_side(std::size_t documents) {
  const double side = std::sqrt(5 * std::sqrt(static_cast<double>(documents)));
  return static_cast<std::uint32_t>(std::clamp(std::ceil(side), 2.0, 50.0));
}

SomStart start_of(const std::string& name) {
  if (name == "plane") return SomStart::kPrincipalPlane;
  if (name == "documents") return SomStart::kDocuments;
  if (name == "uniform") return SomStart::kUniform;
  throw Error(Errc::kInvalidArgument,
              "topics: start is '" + name + "'; expected plane, documents or uniform");
}

bool is_hexagonal(const std::string& lattice) {
  if (lattice == "hexagonal" || lattice == "rectangular") return lattice == "hexagonal";
  throw Error(Errc::kInvalidArgument,
              "topics: lattice is '" + lattice + "'; expected hexagonal or rectangular");
}

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

SomPlan topic_plan(const TopicsRequest& request, std::size_t documents, const TopicMap* earlier) {
  constexpr std::int64_t kMostSide = 1000;
  SomPlan plan;
  const auto side = [&](std::optional<std::int64_t> asked, const char* name) {
    return asked ? static_cast<std::uint32_t>(in_range(*asked, 1, kMostSide, name))
                 : usual_side(documents);
  };
  plan.lattice = {side(request.rows, "rows"), side(request.columns, "columns"),
                  is_hexagonal(request.lattice), request.toroidal};
  if (plan.lattice.hexagonal && plan.lattice.toroidal && !request.rows)
    plan.lattice.rows += plan.lattice.rows % 2;
  if (earlier != nullptr) {
    const TopicMapOrigin& origin = earlier->origin;
    plan.lattice = {origin.rows, origin.columns, origin.hexagonal, origin.toroidal};
  }
  plan.schedule.epochs = static_cast<std::uint32_t>(in_range(request.epochs, 1, 1000000, "epochs"));
  plan.schedule.sigma_start = request.sigma_start;
  plan.schedule.sigma_end = request.sigma_end;
  // The map that is there is to be refined, not unfolded again.
  if (earlier != nullptr && request.sigma_start == 0) plan.schedule.sigma_start = request.sigma_end;
  plan.schedule.fall =
      request.linear ? SomSchedule::Fall::kLinear : SomSchedule::Fall::kExponential;
  plan.schedule = resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns);
  plan.cut = request.cut;
  plan.start = start_of(request.start);
  plan.seed = static_cast<std::uint64_t>(in_range(request.seed, 0, INT64_MAX, "seed"));
  return plan;
}

std::size_t topic_count(const TopicsRequest& request) {
  return static_cast<std::size_t>(in_range(request.count, 0, 1000000, "count"));
}

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
